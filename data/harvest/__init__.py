"""Harvester for OAI-PMH 2.0 repositories: https://www.openarchives.org/OAI/openarchivesprotocol.html.

`oai.harvest` fetches all pages of a list, one after the other, and stores them in a file of the workspace, so that an
interrupted harvest can resume. When all pages are stored, `oai.read_harvest` reads the papers from them.

The library oaipmh-scythe is not used, because its waits can't be shortened or limited, its repair of malformed pages
loses papers, it reads responses of any size, and it follows redirects to any host.
"""
