// Lucene as a contestant: `build LINES FOLDER` makes an index of lines of tokens; `search FOLDER` answers lines
// "k TAB tokens" with "CPU nanoseconds TAB best score". One thread, BM25 with k1 = 1.2 and b = 0.75.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.MMapDirectory;

public class Lucene {
    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("build")) {
            build(Path.of(arguments[1]), Path.of(arguments[2]));
        } else {
            search(Path.of(arguments[1]));
        }
    }

    static void build(Path lines, Path folder) throws Exception {
        FieldType frequencies = new FieldType();
        frequencies.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
        frequencies.setTokenized(true);
        frequencies.freeze();
        IndexWriterConfig settings = new IndexWriterConfig(new WhitespaceAnalyzer());
        settings.setRAMBufferSizeMB(1000);
        settings.setSimilarity(new BM25Similarity(1.2f, 0.75f));
        Field body = new Field("body", "", frequencies);
        Document document = new Document();
        document.add(body);
        try (IndexWriter writer = new IndexWriter(new MMapDirectory(folder), settings);
                BufferedReader reader = Files.newBufferedReader(lines)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                body.setStringValue(line);
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }

    static void search(Path folder) throws Exception {
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(new MMapDirectory(folder)));
        searcher.setSimilarity(new BM25Similarity(1.2f, 0.75f));
        searcher.setQueryCache(null);
        var clock = ManagementFactory.getThreadMXBean();
        var reader = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println("ready");
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            String[] cells = line.split("\t");
            long start = clock.getCurrentThreadCpuTime();
            BooleanQuery.Builder query = new BooleanQuery.Builder();
            for (String token : cells[1].split(" ")) {
                query.add(new TermQuery(new Term("body", token)), BooleanClause.Occur.SHOULD);
            }
            TopDocs found = searcher.search(query.build(), Integer.parseInt(cells[0]));
            float best = found.scoreDocs.length > 0 ? found.scoreDocs[0].score : 0;
            System.out.println((clock.getCurrentThreadCpuTime() - start) + "\t" + best);
        }
    }
}
