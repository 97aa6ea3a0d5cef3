"""What is built on network cards: bonds, bridges, VLANs."""


class Built(object):
    """`cards`: names of what it is built on, as far as its own configuration tells them. `addresses`: its static ones."""

    def __init__(self, name, cards=(), addresses=()):
        self.name = name
        self.cards = list(cards)
        self.addresses = list(addresses)


def below(name, words=()):
    """The cards that words of a configuration mean, and the one on which a VLAN is named after its card (eth0.5)."""
    cards = [word for word in words if word not in ('none', 'all', 'regex', 'noregex')]
    return cards or ([name.split('.')[0]] if '.' in name else [])
