"""`python -m ppgov`."""

from ppgov.cli import main

main()
