from kaiwa.cli import main

main()
