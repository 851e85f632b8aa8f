"""Harvester for OAI-PMH 2.0 repositories: https://www.openarchives.org/OAI/openarchivesprotocol.html.

`oai.harvest` fetches the pages of a list one by one and stores them in a file in the workspace, so that an interrupted
harvest can be resumed. When all pages have been stored, `oai.read_harvest` reads the papers from them.

The library oaipmh-scythe is not used for four reasons. Its waits can't be shortened or limited, it loses papers when it
repairs malformed pages, it accepts responses of any size, and it follows redirects to any host.
"""
