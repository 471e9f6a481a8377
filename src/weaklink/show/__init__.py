"""What is shown: one document model, one builder a subject, and a renderer for each format.

document     pages, sections and blocks: plain data
subjects     one file a subject: its result to a page (`build`) and to the JSON contract (`record`)
renderers    pages on a terminal, as Markdown, HTML and JSON; they know blocks and no subject
rendering    the one entry: a result and a format to text
live         the page while runs grow; bugreport the text of an issue; pages, probe_pages and symptom_page the docs
"""
