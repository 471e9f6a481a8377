"""`python -m weaklink`."""

from weaklink.cli import main

if __name__ == "__main__":
    main()
