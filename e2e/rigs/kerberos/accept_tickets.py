"""A service that takes tickets, by the Kerberos library of the system: reads {"token", "binding"} lines, answers with who it is, or why not.

binding: what the channel is bound to, in base64.
"""
import base64
import json
import sys

import gssapi
from gssapi.raw import ChannelBindings

credentials = gssapi.Credentials(usage="accept")
for line in sys.stdin:
    asked = json.loads(line)
    try:
        bindings = ChannelBindings(application_data=base64.b64decode(asked["binding"]))
        context = gssapi.SecurityContext(creds=credentials, usage="accept", channel_bindings=bindings)
        answer = context.step(base64.b64decode(asked["token"]))
        said = {"complete": context.complete, "user": str(context.initiator_name), "token": base64.b64encode(answer or b"").decode()}
    except gssapi.exceptions.GSSError as error:
        said = {"complete": False, "problem": str(error)}
    print(json.dumps(said), flush=True)
