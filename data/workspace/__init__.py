"""The files of a workspace: its database, damage, backups, temporary folders."""
