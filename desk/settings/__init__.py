"""Validated settings, from environment variables and the file presort.toml.

The modules `api` (API clients and webhooks) and `group_roles` (roles granted by the sign-in provider's groups) must be
imported by name, because they import packages that would slow down the start of every command.
"""

from presort.desk.settings.mail import (
    UNSUBSCRIBE_PATH,
    Delivery,
    MailServer,
    delivery,
    has_mail,
    mail_server,
    site_url,
    validate_site_url,
)
from presort.desk.settings.server import (
    PORTS,
    SECRET_ADDRESS,
    DeskUrl,
    desk_url,
    has_password,
    invitation_link,
    is_link,
    log_format,
    metrics_token,
    parse_desk_url,
)
from presort.desk.settings.sign_in import Provider, path_of_pages, sign_in
from presort.desk.settings.sources import (
    DATABASE,
    DESK_URL,
    FILE,
    FILE_NAME,
    LOG_FORMAT,
    MAIL_DELAY,
    MAIL_READERS,
    SITE_FOLDER,
    SITE_URL,
    WORKSPACE,
    settings_file,
)
from presort.desk.settings.weekly import OAI_FORMATS, OAI_SET, Harvest, Week, week
from presort.desk.settings.workspace import (
    BackupPlan,
    Settings,
    backup_plan,
    database,
    from_environment,
    to_environment,
)

__all__ = [
    "DATABASE",
    "DESK_URL",
    "FILE",
    "FILE_NAME",
    "LOG_FORMAT",
    "MAIL_DELAY",
    "MAIL_READERS",
    "OAI_FORMATS",
    "OAI_SET",
    "PORTS",
    "SECRET_ADDRESS",
    "SITE_FOLDER",
    "SITE_URL",
    "UNSUBSCRIBE_PATH",
    "WORKSPACE",
    "BackupPlan",
    "Delivery",
    "DeskUrl",
    "Harvest",
    "MailServer",
    "Provider",
    "Settings",
    "Week",
    "backup_plan",
    "database",
    "delivery",
    "desk_url",
    "from_environment",
    "has_mail",
    "has_password",
    "invitation_link",
    "is_link",
    "log_format",
    "mail_server",
    "metrics_token",
    "parse_desk_url",
    "path_of_pages",
    "settings_file",
    "sign_in",
    "site_url",
    "to_environment",
    "validate_site_url",
    "week",
]
