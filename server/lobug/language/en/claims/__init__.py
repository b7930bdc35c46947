"""Claims in English: reads them from statements and questions, and puts them into words."""
