"""The report page and notebook output."""
