"""The array API standard's conformance suite, run against fastnp."""
