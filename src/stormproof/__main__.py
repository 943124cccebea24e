"""`python -m stormproof` is the command line."""

from stormproof_command import main

if __name__ == "__main__":
    main()
