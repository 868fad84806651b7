"""Speed and calibration against peers; each module prints the table committed under results/."""
