"""The definitions, executed slowly and literally: the oracle that everything else is compared with."""
