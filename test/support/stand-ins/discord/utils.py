import re


def escape_markdown(text):
    return re.sub(r'([_\\~|*`])', r'\\\1', text)
