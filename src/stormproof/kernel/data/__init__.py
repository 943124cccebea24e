"""Values, their types, and expressions over them: what roles with variables and goals compute with."""
