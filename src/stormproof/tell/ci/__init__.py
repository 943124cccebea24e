"""The results of a check for continuous integration: JUnit and SARIF."""
