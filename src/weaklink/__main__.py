"""`python -m weaklink`, and the command itself."""

import gc


def main() -> None:
    """Runs the command line.

    A run of it is short and makes few cycles, so searching for them while modules are loaded, and once more at the
    end, would be a fifth of its time.
    """
    gc.set_threshold(100_000)
    from weaklink.cli import main as run

    run()


if __name__ == "__main__":
    main()
