"""Papers from repositories that speak OAI-PMH 2.0: https://www.openarchives.org/OAI/openarchivesprotocol.html.

`oai.harvest` fetches all pages of an answer into a file of the workspace, one after the other, so that a harvest that
was cut goes on where it stopped; `oai.read_harvest` reads the papers from there once all have come.

Written here rather than left to a library: oaipmh-scythe sleeps in ways nothing can hurry or cap, repairs broken
pages (which loses papers), reads answers of any size, and connects wherever a redirect leads.
"""
