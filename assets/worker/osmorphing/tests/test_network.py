import os
import shutil
import subprocess

from causeway_osmorphing import network_step, protocol
from causeway_osmorphing.network import built_of, convert, exchange, interfaces_of, kinds_of, name_servers, yaml_subset
from causeway_osmorphing.network.names import Interface, nameable, pair, rules_of, rules_text

from .trees import TreeTest, everything

NM = '/etc/NetworkManager/system-connections/'
RH = '/etc/sysconfig/network-scripts/'
SUSE = '/etc/sysconfig/network/'

# (what, release, files before, set_dhcp, files afterwards; None: gone)
CASES = [
    (
        'ifupdown static to DHCP, its options gone',
        'debian',
        {
            '/etc/network/interfaces': '# the loopback\nauto lo\niface lo inet loopback\n\nallow-hotplug ens192\niface ens192 inet static\n  address 10.0.0.5/24\n'
            '  gateway 10.0.0.1\n  dns-nameservers 10.0.0.2\n\n# second\niface ens224 inet static\n  address 10.1.0.5\n  netmask 255.255.255.0\n',
        },
        True,
        {
            '/etc/network/interfaces': '# the loopback\nauto lo\niface lo inet loopback\n\nallow-hotplug ens192\niface ens192 inet dhcp\n\n# second\n'
            'auto ens224\niface ens224 inet dhcp\n',
        },
    ),
    (
        'ifupdown in a sourced file, IPv6 static left out',
        'debian',
        {
            '/etc/network/interfaces': 'auto lo\niface lo inet loopback\nsource /etc/network/interfaces.d/*\n',
            '/etc/network/interfaces.d/eth0': 'auto eth0\niface eth0 inet static\n  address 10.0.0.5/24\niface eth0 inet6 static\n  address fe80::5/64\n',
        },
        True,
        {
            '/etc/network/interfaces': 'auto lo\niface lo inet loopback\nsource /etc/network/interfaces.d/*\n',
            '/etc/network/interfaces.d/eth0': 'auto eth0\niface eth0 inet dhcp\n',
        },
    ),
    (
        'ifupdown that is static keeps its address and loses its MAC address',
        'debian',
        {
            '/etc/network/interfaces': 'auto eth0\niface eth0 inet static\n  hwaddress ether 00:50:56:00:00:01\n  address 10.0.0.5/24\n  gateway 10.0.0.1\n',
        },
        False,
        {'/etc/network/interfaces': 'auto eth0\niface eth0 inet static\n  address 10.0.0.5/24\n  gateway 10.0.0.1\n'},
    ),
    (
        'ifupdown bond: its cards get DHCP, the bond is left out',
        'debian',
        {
            '/etc/network/interfaces': 'auto bond0\niface bond0 inet static\n  address 10.0.0.5/24\n  bond-slaves eth0 eth1\nauto eth0\niface eth0 inet manual\n  bond-master bond0\n',
        },
        True,
        {'/etc/network/interfaces': 'auto eth0\niface eth0 inet dhcp\n'},
    ),
    (
        'netplan static to DHCP, original replaced',
        'ubuntu',
        {
            '/etc/netplan/50-cloud-init.yaml': 'network:\n  version: 2\n  ethernets:\n    ens192:\n      addresses: [10.0.0.5/24]\n      gateway4: 10.0.0.1\n'
            '      match:\n        macaddress: 00:50:56:00:00:01\n      set-name: ens192\n',
        },
        True,
        {
            '/etc/netplan/50-cloud-init.yaml': None,
            '/etc/netplan/90-causeway.yaml': 'network:\n  version: 2\n  ethernets:\n    ens192:\n      dhcp4: true\n',
        },
    ),
    (
        'netplan that is DHCP already stays as it is',
        'ubuntu',
        {
            '/etc/netplan/01.yaml': 'network:\n    ethernets:\n        eth0: {dhcp4: yes}  # fine\n    version: 2\n',
        },
        True,
        {
            '/etc/netplan/01.yaml': 'network:\n    ethernets:\n        eth0: {dhcp4: yes}  # fine\n    version: 2\n',
            '/etc/netplan/90-causeway.yaml': None,
        },
    ),
    (
        'netplan static keeps its address, and a VLAN its card',
        'ubuntu',
        {
            '/etc/netplan/01.yaml': 'network:\n  version: 2\n  renderer: networkd\n  ethernets:\n    nic0:\n      match: {macaddress: "00:50:56:00:00:01"}\n      set-name: lan0\n'
            '      addresses:\n      - 10.0.0.5/24\n  vlans:\n    lan0.7:\n      id: 7\n      link: nic0\n',
        },
        False,
        {
            '/etc/netplan/01.yaml': 'network:\n  version: 2\n  renderer: networkd\n  ethernets:\n    lan0:\n      addresses:\n        - 10.0.0.5/24\n'
            '  vlans:\n    lan0.7:\n      id: 7\n      link: lan0\n',
        },
    ),
    (
        'netplan beyond the reader gives any card DHCP',
        'ubuntu',
        {
            '/etc/netplan/01.yaml': 'network: &a\n  version: 2\n',
        },
        True,
        {
            '/etc/netplan/01.yaml': None,
            '/etc/netplan/90-causeway.yaml': 'network:\n  version: 2\n  ethernets:\n    any-card:\n      match:\n        name: "e*"\n      dhcp4: true\n',
        },
    ),
    (
        'NetworkManager keyfile to DHCP',
        'rocky',
        {
            NM
            + 'ens192.nmconnection': '[connection]\nid=ens192\nuuid=1\ntype=ethernet\ninterface-name=ens192\n\n[ethernet]\nmac-address=00:50:56:00:00:01\n\n[ipv4]\n'
            'address1=10.0.0.5/24,10.0.0.1\ndns=10.0.0.2;\nmethod=manual\nroute1=10.9.0.0/16,10.0.0.9\n\n[ipv6]\nmethod=auto\n',
        },
        True,
        {
            NM
            + 'ens192.nmconnection': '[connection]\nid=ens192\nuuid=1\ntype=ethernet\ninterface-name=ens192\n\n[ethernet]\n\n[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n',
        },
    ),
    (
        'NetworkManager keyfile tied to a MAC address alone gets a name',
        'rocky',
        {
            NM
            + 'lan.nmconnection': '[connection]\nid=lan\ntype=802-3-ethernet\n\n[802-3-ethernet]\nmac-address=00:50:56:00:00:01\n\n[ipv4]\naddress1=10.0.0.5/24\nmethod=manual\n',
        },
        False,
        {
            NM
            + 'lan.nmconnection': '[connection]\ninterface-name=eth0\nid=lan\ntype=802-3-ethernet\n\n[802-3-ethernet]\n\n[ipv4]\naddress1=10.0.0.5/24\nmethod=manual\n',
        },
    ),
    (
        'ifcfg to DHCP: addresses, MAC address, routes and gateway go',
        'centos7',
        {
            RH + 'ifcfg-lo': 'DEVICE=lo\nIPADDR=127.0.0.1\n',
            RH
            + 'ifcfg-eth0': 'TYPE=Ethernet\nBOOTPROTO=none\nNAME=eth0\nHWADDR="00:50:56:00:00:01"\nONBOOT=no\nIPADDR=10.0.0.5\nPREFIX=24\nGATEWAY=10.0.0.1\nDNS1=10.0.0.2\n',
            RH + 'route-eth0': '10.9.0.0/16 via 10.0.0.9\n',
            '/etc/sysconfig/network': 'NETWORKING=yes\nGATEWAY=10.0.0.1\n',
        },
        True,
        {
            RH + 'ifcfg-lo': 'DEVICE=lo\nIPADDR=127.0.0.1\n',
            RH + 'ifcfg-eth0': 'DEVICE=eth0\nTYPE=Ethernet\nNAME=eth0\nBOOTPROTO=dhcp\nONBOOT=yes\n',
            RH + 'route-eth0': None,
            '/etc/sysconfig/network': 'NETWORKING=yes\n',
        },
    ),
    (
        'ifcfg static loses its MAC address alone',
        'centos7',
        {
            RH
            + 'ifcfg-eth0': 'DEVICE=eth0\nHWADDR=00:50:56:00:00:01\nIPADDR=10.0.0.5\nNETMASK=255.255.255.0\nBOOTPROTO=static\n',
            RH + 'route-eth0': '10.9.0.0/16 via 10.0.0.9\n',
        },
        False,
        {
            RH + 'ifcfg-eth0': 'DEVICE=eth0\nIPADDR=10.0.0.5\nNETMASK=255.255.255.0\nBOOTPROTO=static\n',
            RH + 'route-eth0': '10.9.0.0/16 via 10.0.0.9\n',
        },
    ),
    (
        'wicked to DHCP',
        'sles',
        {
            SUSE + 'ifcfg-lo': "IPADDR='127.0.0.1/8'\n",
            SUSE + 'ifcfg-eth0': "BOOTPROTO='static'\nIPADDR='10.0.0.5/24'\nSTARTMODE='auto'\nMTU='1400'\n",
            SUSE + 'ifcfg-eth0.bak': "IPADDR='10.0.0.5/24'\n",
            SUSE + 'routes': 'default 10.0.0.1 - -\n',
        },
        True,
        {
            SUSE + 'ifcfg-lo': "IPADDR='127.0.0.1/8'\n",
            SUSE + 'ifcfg-eth0': "STARTMODE='auto'\nBOOTPROTO='dhcp'\n",
            SUSE + 'routes': None,
        },
    ),
    (
        'wicked static loses its own MAC address',
        'sles',
        {
            SUSE + 'ifcfg-eth0': "BOOTPROTO='static'\nIPADDR='10.0.0.5/24'\nLLADDR='00:50:56:00:00:01'\n",
        },
        False,
        {SUSE + 'ifcfg-eth0': "BOOTPROTO='static'\nIPADDR='10.0.0.5/24'\n"},
    ),
    (
        'systemd-networkd to DHCP',
        'debian',
        {
            '/etc/systemd/network/10-lan.network': '[Match]\nName=ens192\n\n[Network]\nAddress=10.0.0.5/24\nGateway=10.0.0.1\nDNS=10.0.0.2\n\n[Route]\nDestination=10.9.0.0/16\n',
        },
        True,
        {'/etc/systemd/network/10-lan.network': '[Match]\nName=ens192\n\n[Network]\nDHCP=yes\n\n'.rstrip('\n') + '\n'},
    ),
    (
        'systemd-networkd static, named by a .link file that goes',
        'debian',
        {
            '/etc/systemd/network/10-lan.link': '[Match]\nMACAddress=00:50:56:00:00:01\n\n[Link]\nName=lan0\n',
            '/etc/systemd/network/10-lan.network': '[Match]\nMACAddress=00:50:56:00:00:01\n\n[Network]\nAddress=10.0.0.5/24\n',
        },
        False,
        {
            '/etc/systemd/network/10-lan.link': None,
            '/etc/systemd/network/10-lan.network': '[Match]\nName=lan0\n\n[Network]\nAddress=10.0.0.5/24\n',
        },
    ),
    (
        'systemd-networkd by driver keeps its name, its domains and loses what DHCP tells',
        'debian',
        {
            '/etc/systemd/network/10-lan.network': '[Match]\nDriver=vmxnet3\n\n[Link]\nMTUBytes=9000\n\n[Network]\nAddress=10.0.0.5/24\nDomains=example.com\n\n[DHCPv4]\nUseDNS=no\n',
            '/var/log/syslog': 'Linux version 6\nvmxnet3 0000:0b:00.0 ens192: renamed from eth0\n',
        },
        True,
        {
            '/etc/systemd/network/10-lan.network': '[Match]\nName=ens192\n\n[Link]\n\n[Network]\nDHCP=yes\nDomains=example.com\n\n[DHCPv4]\n',
        },
    ),
    (
        'systemd-networkd by path keeps its address and its name',
        'debian',
        {
            '/etc/systemd/network/10-lan.network': '[Match]\nPath=pci-0000:0b:00.0\n\n[Network]\nAddress=10.0.0.5/24\n',
            '/var/lib/dhcp/dhclient.ens192.leases': 'x',
        },
        False,
        {'/etc/systemd/network/10-lan.network': '[Match]\nName=ens192\n\n[Network]\nAddress=10.0.0.5/24\n'},
    ),
    (
        'systemd-networkd by driver for all cards fits all cards',
        'debian',
        {'/etc/systemd/network/10-lan.network': '[Match]\nDriver=vmxnet3 hv_netvsc\n\n[Network]\nDHCP=yes\n'},
        True,
        {'/etc/systemd/network/10-lan.network': '[Match]\nName=en* eth*\n\n[Network]\nDHCP=yes\n'},
    ),
    (
        'systemd-networkd by MAC address keeps the name that its logs tell',
        'debian',
        {
            '/etc/systemd/network/10-lan.network': '[Match]\nMACAddress=52:54:00:00:00:01\n\n[Network]\nAddress=10.0.0.5/24\n',
            '/var/log/syslog': 'Linux version 6\nvirtio_net virtio0 ens5: renamed from eth0\n',
        },
        True,
        {'/etc/systemd/network/10-lan.network': '[Match]\nName=ens5\n\n[Network]\nDHCP=yes\n'},
    ),
    (
        'netplan by driver, static',
        'ubuntu',
        {
            '/etc/netplan/01.yaml': 'network:\n  version: 2\n  ethernets:\n    lan:\n      match: {driver: vmxnet3}\n      set-name: ens192\n      addresses: [10.0.0.5/24]\n',
        },
        False,
        {'/etc/netplan/01.yaml': 'network:\n  version: 2\n  ethernets:\n    ens192:\n      addresses:\n        - 10.0.0.5/24\n'},
    ),
    (
        'netplan of the cloud with a driver, and its line for other cards, to DHCP',
        'ubuntu',
        {
            '/etc/netplan/50-cloud-init.yaml': 'network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n      match: {driver: hv_netvsc, macaddress: "00:50:56:00:00:01"}\n      set-name: eth0\n',
            '/etc/netplan/90-hotplug-azure.yaml': 'network:\n  version: 2\n  ethernets:\n    ephemeral:\n      dhcp4: true\n      match: {driver: hv_netvsc, name: "!eth0"}\n',
        },
        True,
        {
            '/etc/netplan/50-cloud-init.yaml': None,
            '/etc/netplan/90-hotplug-azure.yaml': None,
            '/etc/netplan/90-causeway.yaml': 'network:\n  version: 2\n  ethernets:\n    eth0:\n      dhcp4: true\n',
        },
    ),
    (
        'netplan by driver alone for any card, to DHCP, with its search domains',
        'ubuntu',
        {
            '/etc/netplan/01.yaml': 'network:\n  version: 2\n  ethernets:\n    all:\n      match: {driver: vmxnet3}\n      dhcp4: true\n      mtu: 9000\n      nameservers: {search: [example.com], addresses: [10.0.0.2]}\n',
        },
        True,
        {
            '/etc/netplan/01.yaml': None,
            '/etc/netplan/90-causeway.yaml': 'network:\n  version: 2\n  ethernets:\n    cards:\n      match:\n        name: "e*"\n      dhcp4: true\n      nameservers:\n        search:\n          - example.com\n',
        },
    ),
    (
        'ifcfg that a tool named after its connection gets the name of its card',
        'centos7',
        {
            RH + 'ifcfg-Wired_connection_1': 'TYPE=Ethernet\nNAME="Wired connection 1"\nHWADDR=00:50:56:00:00:01\nBOOTPROTO=none\nIPADDR=10.0.0.5\nPREFIX=24\nPEERDNS=no\nMTU=9000\nDOMAIN=example.com\nONBOOT=yes\n',
            '/var/log/messages': 'Linux version 3\nsystemd-udevd[300]: renamed network interface eth0 to ens192\n',
        },
        True,
        {
            RH + 'ifcfg-Wired_connection_1': 'DEVICE=ens192\nTYPE=Ethernet\nNAME="Wired connection 1"\nDOMAIN=example.com\nONBOOT=yes\nBOOTPROTO=dhcp\n',
        },
    ),
    (
        'NetworkManager by driver, static',
        'rocky',
        {
            NM + 'lan.nmconnection': '[connection]\nid=lan\ntype=ethernet\n\n[match]\ndriver=vmxnet3;\n\n[ipv4]\naddress1=10.0.0.5/24\nmethod=manual\n',
            '/var/lib/NetworkManager/internal-1b2c-ens192.lease': 'x',
        },
        False,
        {NM + 'lan.nmconnection': '[connection]\ninterface-name=ens192\nid=lan\ntype=ethernet\n\n[match]\n\n[ipv4]\naddress1=10.0.0.5/24\nmethod=manual\n'},
    ),
    (
        'NetworkManager takes name servers and routes of DHCP',
        'rocky',
        {
            NM + 'lan.nmconnection': '[connection]\nid=lan\ntype=ethernet\ninterface-name=ens192\n\n[ethernet]\nmtu=9000\n\n[ipv4]\nmethod=auto\nignore-auto-dns=true\ndns=10.0.0.2;\ndns-search=example.com;\n',
        },
        True,
        {NM + 'lan.nmconnection': '[connection]\nid=lan\ntype=ethernet\ninterface-name=ens192\n\n[ethernet]\n\n[ipv4]\nmethod=auto\ndns-search=example.com;\n'},
    ),
    (
        'dhcpcd asks by DHCP in place of what it was told of cards',
        'debian',
        {
            '/usr/sbin/dhcpcd': '',
            '/etc/dhcpcd.conf': 'hostname\nstatic domain_name_servers=10.0.0.2\nprofile fixed\nstatic ip_address=10.9.0.5/24\ninterface eth0\n'
            'static ip_address=10.0.0.5/24\nstatic routers=10.0.0.1\nstatic domain_search=example.com\nfallback fixed\n',
        },
        True,
        {
            '/etc/dhcpcd.conf': 'hostname\n#static domain_name_servers=10.0.0.2\nprofile fixed\nstatic ip_address=10.9.0.5/24\ninterface eth0\n'
            '#static ip_address=10.0.0.5/24\n#static routers=10.0.0.1\nstatic domain_search=example.com\nfallback fixed\n',
        },
    ),
    (
        'dhcpcd keeps what somebody wants of its interfaces, and drops what belongs to fixed addresses',
        'debian',
        {
            '/usr/sbin/dhcpcd': '',
            '/etc/dhcpcd.conf': 'nogateway\nnoipv6\noption interface_mtu\ninterface eth0\nnodhcp\nnogateway\nstatic interface_mtu=9000\nmetric 300\ninform 10.0.0.5/24\n'
            'interface eth1\nnodhcp\nstatic interface_mtu=9000\nstatic domain_name_servers=10.0.0.2\ninterface br0\nnoipv4\nnohook resolv.conf\n',
        },
        True,
        {
            '/etc/dhcpcd.conf': 'nogateway\nnoipv6\noption interface_mtu\ninterface eth0\n#nodhcp\nnogateway\n#static interface_mtu=9000\nmetric 300\n#inform 10.0.0.5/24\n'
            'interface eth1\nnodhcp\nstatic interface_mtu=9000\n#static domain_name_servers=10.0.0.2\ninterface br0\nnoipv4\nnohook resolv.conf\n',
        },
    ),
    (
        'ifupdown keeps commands that don\'t concern addresses',
        'debian',
        {
            '/etc/network/interfaces': 'auto ens192\niface ens192 inet static\n  address 10.0.0.5/24\n  mtu 9000\n  dns-search example.com\n  pre-up iptables-restore < /etc/iptables.rules\n  up ip route add 10.9.0.0/16 via 10.0.0.9\n',
        },
        True,
        {'/etc/network/interfaces': 'auto ens192\niface ens192 inet dhcp\n  dns-search example.com\n  pre-up iptables-restore < /etc/iptables.rules\n'},
    ),
]


PINNED = [
    (
        'netplan bonds and bridges lose addresses of their own',
        'ubuntu',
        {
            '/etc/netplan/50-a.yaml': 'network:\n  version: 2\n  ethernets:\n    ens3: {}\n  bonds:\n    bond0:\n      macaddress: "00:50:56:00:00:01"\n      interfaces: [ens3]\n'
            '      addresses: [10.0.0.5/24]\n  vlans:\n    v5:\n      id: 5\n      link: bond0\n      macaddress: "00:50:56:00:00:01"\n',
        },
        False,
        {
            '/etc/netplan/50-a.yaml': 'network:\n  version: 2\n  ethernets:\n    ens3: {}\n  bonds:\n    bond0:\n      interfaces:\n        - ens3\n'
            '      addresses:\n        - 10.0.0.5/24\n  vlans:\n    v5:\n      id: 5\n      link: bond0\n',
        },
    ),
    (
        'NetworkManager bridges and VLANs lose them, and a VLAN keeps its card',
        'rocky',
        {
            NM + 'card.nmconnection': '[connection]\ntype=ethernet\ninterface-name=ens192\n\n[ethernet]\nmac-address=00:50:56:00:00:01\n',
            NM + 'br.nmconnection': '[connection]\ntype=bridge\ninterface-name=br0\n\n[bridge]\nmac-address=00:50:56:00:00:01\nstp=false\n',
            NM + 'v5.nmconnection': '[connection]\ntype=vlan\ninterface-name=v5\n\n[ethernet]\nmac-address=00:50:56:00:00:01\ncloned-mac-address=preserve\n\n[vlan]\nid=5\n',
        },
        False,
        {
            NM + 'br.nmconnection': '[connection]\ntype=bridge\ninterface-name=br0\n\n[bridge]\nstp=false\n',
            NM + 'v5.nmconnection': '[connection]\ntype=vlan\ninterface-name=v5\n\n[ethernet]\ncloned-mac-address=preserve\n\n[vlan]\nparent=ens192\nid=5\n',
        },
    ),
    (
        'networkd bonds lose them, and bridges that inherit one keep that',
        'debian',
        {
            '/etc/systemd/network/a.network': '[Match]\nName=ens3\n[Network]\nBond=bond0\n',
            '/etc/systemd/network/b.network': '[Match]\nName=bond0\n\n[Link]\nMACAddress=00:50:56:00:00:01\n\n[Network]\nAddress=10.0.0.5/24\n',
            '/etc/systemd/network/bond.netdev': '[NetDev]\nName=bond0\nKind=bond\nMACAddress=00:50:56:00:00:01\n',
            '/etc/systemd/network/br.netdev': '[NetDev]\nName=br0\nKind=bridge\nMACAddress=none\n',
        },
        False,
        {
            '/etc/systemd/network/b.network': '[Match]\nName=bond0\n\n[Link]\n\n[Network]\nAddress=10.0.0.5/24\n',
            '/etc/systemd/network/bond.netdev': '[NetDev]\nName=bond0\nKind=bond\n',
            '/etc/systemd/network/br.netdev': '[NetDev]\nName=br0\nKind=bridge\nMACAddress=none\n',
        },
    ),
    (
        'ifupdown bridges and bonds lose them, and a bridge that names a card keeps that',
        'debian',
        {
            '/etc/network/interfaces': 'auto br0\niface br0 inet static\n  address 10.0.0.5/24\n  bridge_ports ens3\n  bridge_hw 00:50:56:00:00:01\nauto bond0\niface bond0 inet manual\n  hwaddress ether 00:50:56:00:00:02\nauto br1\niface br1 inet manual\n  bridge_hw ens4\n',
        },
        False,
        {
            '/etc/network/interfaces': 'auto br0\niface br0 inet static\n  address 10.0.0.5/24\n  bridge_ports ens3\nauto bond0\niface bond0 inet manual\nauto br1\niface br1 inet manual\n  bridge_hw ens4\n',
        },
    ),
    (
        'ifcfg bonds lose an address of their own', 'rocky',
        {
            RH + 'ifcfg-bond0': 'DEVICE=bond0\nTYPE=Bond\nBONDING_OPTS="mode=1"\nMACADDR=00:50:56:00:00:01\nIPADDR=10.0.0.5\n',
            RH + 'ifcfg-ens192': 'DEVICE=ens192\nHWADDR=00:50:56:00:00:01\nMASTER=bond0\nSLAVE=yes\n',
        },
        False,
        {RH + 'ifcfg-bond0': 'DEVICE=bond0\nTYPE=Bond\nBONDING_OPTS="mode=1"\nIPADDR=10.0.0.5\n', RH + 'ifcfg-ens192': 'DEVICE=ens192\nMASTER=bond0\nSLAVE=yes\n'},
    ),
    (
        'wicked bonds and bridges lose them', 'sles',
        {
            SUSE + 'ifcfg-bond0': "STARTMODE='auto'\nBONDING_MASTER='yes'\nBONDING_SLAVE_0='eth0'\nLLADDR='00:50:56:00:00:01'\nIPADDR='10.0.0.5/24'\n",
            SUSE + 'ifcfg-br0': "BRIDGE='yes'\nBRIDGE_PORTS='eth1'\nLLADDR='00:50:56:00:00:02'\nIPADDR='10.1.0.5/24'\n",
        },
        False,
        {
            SUSE + 'ifcfg-bond0': "STARTMODE='auto'\nBONDING_MASTER='yes'\nBONDING_SLAVE_0='eth0'\nIPADDR='10.0.0.5/24'\n",
            SUSE + 'ifcfg-br0': "BRIDGE='yes'\nBRIDGE_PORTS='eth1'\nIPADDR='10.1.0.5/24'\n",
        },
    ),
    (
        'wicked takes name servers of DHCP',
        'sles',
        {
            SUSE + 'ifcfg-eth0': "BOOTPROTO='static'\nIPADDR='10.0.0.5/24'\nSTARTMODE='auto'\n",
            SUSE + 'config': 'NETCONFIG_DNS_STATIC_SEARCHLIST="example.com"\nNETCONFIG_DNS_STATIC_SERVERS="10.0.0.2 10.0.0.3"\n',
        },
        True,
        {SUSE + 'config': 'NETCONFIG_DNS_STATIC_SEARCHLIST="example.com"\nNETCONFIG_DNS_STATIC_SERVERS=""\n'},
    ),
]


BUILT = [
    (
        'a bridge of ifupdown whose card has no lines of its own', 'debian',
        {'/etc/network/interfaces': 'auto lo\niface lo inet loopback\n\nauto br0\niface br0 inet static\n  address 10.0.0.5/24\n  bridge_ports ens3\n  bridge_stp off\n'},
        {'/etc/network/interfaces': 'auto lo\niface lo inet loopback\n\nauto ens3\niface ens3 inet dhcp\n'}, 'ens3', ['10.0.0.5'],
    ),
    (
        'a bridge of ifupdown with a name like that of a card', 'debian',
        {'/etc/network/interfaces': 'iface ens3 inet manual\n\nauto vmbr0\niface vmbr0 inet static\n  address 10.0.0.5/24\n  bridge-ports ens3\n'},
        {'/etc/network/interfaces': 'auto ens3\niface ens3 inet dhcp\n'}, 'ens3', [],
    ),
    (
        'a VLAN of ifupdown', 'debian',
        {'/etc/network/interfaces': 'auto ens3.5\niface ens3.5 inet static\n  address 10.0.0.5/24\n'},
        {'/etc/network/interfaces': '\n\nauto ens3\niface ens3 inet dhcp\n'}, 'ens3', ['10.0.0.5'],
    ),
    (
        'a VLAN of ifcfg, and a bond with a name of its own', 'rocky',
        {RH + 'ifcfg-mgmt': 'DEVICE=mgmt\nTYPE=Bond\nBONDING_OPTS="mode=1"\nIPADDR=10.0.1.5\n', RH + 'ifcfg-v5': 'DEVICE=v5\nVLAN=yes\nPHYSDEV=ens3\nIPADDR=10.0.0.5\n'},
        {RH + 'ifcfg-mgmt': None, RH + 'ifcfg-v5': None, RH + 'ifcfg-ens3': 'DEVICE=ens3\nBOOTPROTO=dhcp\nONBOOT=yes\n'}, 'ens3', ['10.0.0.5'],
    ),
    (
        'a bridge of wicked', 'sles',
        {SUSE + 'ifcfg-br0': "BRIDGE='yes'\nBRIDGE_PORTS='eth0'\nBOOTPROTO='static'\nIPADDR='10.0.0.5/24'\n"},
        {SUSE + 'ifcfg-br0': None, SUSE + 'ifcfg-eth0': "BOOTPROTO='dhcp'\nSTARTMODE='auto'\n"}, 'eth0', ['10.0.0.5'],
    ),
    (
        'a VLAN of NetworkManager', 'rocky',
        {NM + 'v.nmconnection': '[connection]\ntype=vlan\ninterface-name=v5\n\n[vlan]\nid=5\nparent=ens3\n\n[ipv4]\nmethod=manual\naddress1=10.0.0.5/24\n'},
        {NM + 'v.nmconnection': None, NM + 'causeway-ens3.nmconnection': '[connection]\nid=ens3\ntype=ethernet\ninterface-name=ens3\n\n[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n'}, 'ens3', ['10.0.0.5'],
    ),
    (
        'a bridge of systemd-networkd with a name like that of a card', 'debian',
        {'/etc/systemd/network/a.netdev': '[NetDev]\nName=lan\nKind=bridge\n', '/etc/systemd/network/a.network': '[Match]\nName=lan\n\n[Network]\nAddress=10.0.0.5/24\n',
         '/etc/systemd/network/b.network': '[Match]\nName=ens3\n\n[Network]\nBridge=lan\n'},
        {'/etc/systemd/network/a.network': None, '/etc/systemd/network/b.network': '[Match]\nName=ens3\n\n[Network]\nDHCP=yes\n'}, 'ens3', [],
    ),
]


class BuiltOnCards(TreeTest):
    def test_their_cards_get_addresses_in_their_place_and_are_known_by_them(self):
        for what, release, before, after, card, addresses in BUILT:
            with self.subTest(what):
                self.clear()
                guest = self.guest(release, before)
                self.assertEqual([(one.name, one.addresses) for one in interfaces_of(guest)], [(card, addresses)])
                convert(guest, True)
                state = everything(self.root)
                self.assertEqual(dict((path, guest.read(path) if guest.present(path) else None) for path in after), after)
                self.assertEqual([one.name for one in interfaces_of(guest)], [card])
                self.assertEqual((convert(guest, True), everything(self.root)), ([], state))
                self.assertEqual(built_of(guest) if 'networkd' not in what else [], [])

    def test_with_addresses_that_stay_nothing_is_taken_apart(self):
        for what, release, before, _, card, _ in BUILT:
            with self.subTest(what):
                self.clear()
                guest = self.guest(release, before)
                self.assertEqual((convert(guest, False), [one.name for one in interfaces_of(guest)]), ([], [card]))
                self.assertEqual(dict((path, guest.read(path)) for path in before), before)


class LeftOut(TreeTest):
    def test_files_that_name_what_is_left_out_are_told(self):
        guest = self.guest('debian', {'/etc/nftables.conf': 'iifname "br0" accept # br1\n', '/etc/lxc/default.conf': 'lxc.net.0.link = br0\n', '/etc/dnsmasq.d/a': 'interface=br01\n'})
        network_step._tell_left_out(guest, ['br0', 'br1'])
        self.assertEqual(self.warnings, ['br0 is left out, but still named by /etc/nftables.conf, /etc/lxc/default.conf: name the card there instead'])


class NetworkFiles(TreeTest):
    def test_each_kind_is_converted_as_its_case_says_and_a_second_time_changes_nothing(self):
        for what, release, before, to_dhcp, after in CASES + PINNED:
            with self.subTest(what):
                self.clear()
                guest = self.guest(release, before)
                convert(guest, to_dhcp)
                found = dict((path, guest.read(path) if guest.present(path) else None) for path in after)
                self.assertEqual(found, after)
                self.assertEqual(convert(guest, to_dhcp), [])
                self.assertEqual(
                    dict((path, guest.read(path) if guest.present(path) else None) for path in after), after
                )

    def test_odd_files_of_what_is_built_on_cards_end_without_an_error(self):
        for text in ('network:\n  bonds: x\n', 'network:\n  bonds:\n    b: y\n  vlans: [a]\n', 'network:\n  bridges:\n    b:\n'):
            self.clear()
            guest = self.guest('ubuntu', {'/etc/netplan/a.yaml': text + '  ethernets:\n    e:\n      match: {macaddress: "00:50:56:00:00:01"}\n'})
            convert(guest, False)

    def test_originals_are_kept_once(self):
        text = 'auto eth0\niface eth0 inet static\n  address 10.0.0.5/24\n'
        guest = self.guest('debian', {'/etc/network/interfaces': text})
        convert(guest, True)
        guest.write('/etc/network/interfaces', 'auto eth0\niface eth0 inet static\n  address 10.0.0.6/24\n')
        convert(guest, True)
        self.assertEqual(guest.read('/var/lib/causeway/original/etc/network/interfaces'), text)

    def test_secrets_in_keyfiles_stay_readable_by_root_alone(self):
        guest = self.guest(
            'rocky', {NM + 'a.nmconnection': '[connection]\ntype=ethernet\ninterface-name=a0\n[ipv4]\nmethod=manual\n'}
        )
        convert(guest, True)
        self.assertEqual(os.stat(guest.root + NM + 'a.nmconnection').st_mode & 0o777, 0o600)

    def test_all_kinds_are_seen(self):
        files = {}
        for _, _, before, _, _ in CASES:
            files.update((path, text) for path, text in before.items() if path != '/etc/sysconfig/network')
        guest = self.guest('debian', files)
        self.assertEqual(
            kinds_of(guest), ['netplan', 'network-manager', 'ifcfg', 'wicked', 'ifupdown', 'systemd-networkd', 'dhcpcd']
        )

    def test_cards_of_dhcpcd_are_known_by_their_addresses(self):
        files = {'/usr/sbin/dhcpcd': '', '/etc/dhcpcd.conf': 'static routers=10.0.0.1\ninterface eth0\nstatic ip_address=10.0.0.5/24\ninterface eth1\nstatic ip_address=10.1.0.5/24\n'}
        found = interfaces_of(self.guest('debian', files))
        self.assertEqual([(one.name, one.addresses) for one in found], [('eth0', ['10.0.0.5']), ('eth1', ['10.1.0.5'])])
        # Where it only serves another program, or tells nothing of a card, nothing of it counts.
        for path, text in (('/etc/dhcpcd.conf', files['/etc/dhcpcd.conf']), ('/usr/sbin/dhcpcd', '')):
            self.clear()
            guest = self.guest('debian', {path: text, '/etc/dhcpcd.conf': text} if text else {path: '', '/etc/dhcpcd.conf': 'hostname\nslaac private\n#interface eth0\n'})
            self.assertEqual((kinds_of(guest), convert(guest, True)), ([], []))

    def test_an_mtu_that_dhcpcd_no_longer_sets_is_told(self):
        text = 'interface eth0\nstatic ip_address=10.0.0.5/24\nstatic interface_mtu=9000\ninterface eth1\nstatic interface_mtu=9000\n'
        convert(self.guest('debian', {'/usr/sbin/dhcpcd': '', '/etc/dhcpcd.conf': text}), True)
        self.assertEqual(self.warnings, ['/etc/dhcpcd.conf: removed static interface_mtu=9000; DHCP of the destination provides name servers, routes and MTU'])

    def test_a_link_of_the_guest_never_leads_to_the_workers_files(self):
        outside = os.path.join(self.root, '..', os.path.basename(self.root) + '-outside')
        with open(outside, 'w') as file:
            file.write('iface eth0 inet static\n')
        self.addCleanup(os.unlink, outside)
        guest = self.guest('debian', {'/etc/network/interfaces': '→' + os.path.realpath(outside)})
        convert(guest, True)
        guest.write('/etc/network/interfaces', 'mine\n')
        with open(outside) as file:
            self.assertEqual(file.read(), 'iface eth0 inet static\n')


class Names(TreeTest):
    def test_a_card_is_known_by_old_mac_then_address_then_order(self):
        interfaces = [
            Interface('ens192', None, ['10.0.0.5/24']),
            Interface('ens224', '00:50:56:00:00:02'),
            Interface('ens256'),
        ]
        nics = [
            {'macAddress': 'FA:16:3E:00:00:01', 'sourceMacAddress': '00:50:56:00:00:02'},
            {'macAddress': 'fa:16:3e:00:00:02', 'addresses': ['10.0.0.5']},
            {'macAddress': 'fa:16:3e:00:00:03'},
        ]
        pairs, warnings = pair(interfaces, nics, {}, {})
        self.assertEqual(
            pairs, [('fa:16:3e:00:00:01', 'ens224'), ('fa:16:3e:00:00:02', 'ens192'), ('fa:16:3e:00:00:03', 'ens256')]
        )
        self.assertEqual(warnings, [])

    def test_old_udev_rules_tell_and_an_earlier_preparation_decides(self):
        interfaces = [Interface('eth0'), Interface('eth1')]
        nics = [
            {'macAddress': 'fa:16:3e:00:00:01', 'sourceMacAddress': '00:50:56:00:00:01'},
            {'macAddress': 'fa:16:3e:00:00:02', 'sourceMacAddress': '00:50:56:00:00:02'},
        ]
        pairs, _ = pair(interfaces, nics, {'00:50:56:00:00:01': 'eth1'}, {})
        self.assertEqual(dict(pairs)['fa:16:3e:00:00:01'], 'eth1')
        again, _ = pair(interfaces, nics, {}, rules_of(rules_text(pairs)))
        self.assertEqual(again, pairs)

    def test_a_single_card_keeps_its_name_without_a_mac_address(self):
        pairs, warnings = nameable(pair([Interface('ens192')], [{'macAddress': None}], {}, {})[0])
        self.assertEqual((pairs, warnings), ([(None, 'ens192')], []))
        self.assertIn('DRIVERS=="?*", NAME="ens192"', rules_text(pairs))

    def test_several_cards_without_mac_addresses_get_no_rules(self):
        nics = [{'macAddress': None, 'addresses': ['10.0.0.6']}, {'macAddress': None}]
        pairs, _ = pair([Interface('eth0', None, ['10.0.0.5']), Interface('eth1', None, ['10.0.0.6'])], nics, {}, {})
        self.assertEqual(pairs, [(None, 'eth1'), (None, 'eth0')])
        kept, warnings = nameable(pairs)
        self.assertEqual((kept, len(warnings)), ([], 1))

    def test_on_hyper_v_the_kernel_numbers_several_cards_and_twins_get_no_name(self):
        kept, warnings = nameable([(None, 'ens192'), (None, 'ens224')], True)
        self.assertEqual((kept, len(warnings)), ([(None, 'ens192'), (None, 'ens224')], 1))
        self.assertEqual(rules_text(kept, True).splitlines()[1:], [
            'SUBSYSTEM=="net", ACTION=="add", DRIVERS=="hv_netvsc", KERNEL=="eth0", NAME="ens192"',
            'SUBSYSTEM=="net", ACTION=="add", DRIVERS=="hv_netvsc", KERNEL=="eth1", NAME="ens224"',
        ])
        self.assertEqual(nameable([(None, 'eth1'), (None, 'eth0')], True)[0], [])

    def test_a_guess_among_several_is_told(self):
        _, warnings = pair(
            [Interface('eth0'), Interface('eth1')],
            [{'macAddress': 'fa:16:3e:00:00:01'}, {'macAddress': 'fa:16:3e:00:00:02'}],
            {},
            {},
        )
        self.assertEqual(len(warnings), 1)

    def test_interfaces_come_in_natural_order_without_virtual_ones(self):
        guest = self.guest(
            'centos7',
            dict(
                (RH + 'ifcfg-' + name, 'DEVICE=%s\nBOOTPROTO=dhcp\n' % name)
                for name in ('eth10', 'eth2', 'lo', 'bond0', 'eth2.7', 'eth2:1')
            ),
        )
        self.assertEqual([one.name for one in interfaces_of(guest)], ['eth2', 'eth10'])


class NameServers(TreeTest):
    def test_what_a_dhcp_client_was_told_of_the_old_network_is_a_comment_then(self):
        text = '# own\nsend host-name = gethostname();\nsupersede domain-name "x.example";\n%ssupersede domain-name-servers 10.0.0.2,\n%s  10.0.0.3;\n%sprepend domain-name-servers 127.0.0.1;\nappend domain-name-servers 10.0.0.9;\n%s supersede interface-mtu 9000;\nrequest subnet-mask;\n'
        paths = ('/etc/dhcp/dhclient.conf', '/etc/dhclient-eth0.conf')
        guest = self.guest('debian', dict((path, text % ('', '', '', '')) for path in paths))
        self.assertEqual(len(name_servers.follow_dhcp(guest, ['ifupdown'])), 2)
        for path in paths:
            self.assertEqual(guest.read(path), text % ('#', '#', '#', '#'))
        self.assertEqual([one.count('supersede') + one.count('prepend') for one in self.warnings], [3, 3])
        self.assertEqual(name_servers.follow_dhcp(guest, ['ifupdown']), [])

    def test_name_servers_that_nothing_replaces_are_told(self):
        networkd = {'/usr/lib/systemd/systemd-resolved': '', '/etc/resolv.conf': 'nameserver 10.0.0.2\n'}
        for files, kinds, told in (
            (networkd, ['systemd-networkd'], 1), (networkd, ['netplan'], 1), (networkd, ['ifupdown'], 0), (dict(networkd, **{'/usr/sbin/NetworkManager': ''}), ['netplan'], 0),
            (dict(networkd, **{'/etc/resolv.conf': 'nameserver 127.0.0.53\n'}), ['netplan'], 0), (dict(networkd, **{'/etc/resolv.conf': '→../run/systemd/resolve/stub-resolv.conf', '/run/systemd/resolve/stub-resolv.conf': 'nameserver 10.0.0.2\n'}), ['netplan'], 0),
            ({'/etc/resolv.conf': 'nameserver 10.0.0.2\n', '/etc/NetworkManager/conf.d/a.conf': '[main]\ndns=none\n'}, ['network-manager'], 1), ({'/etc/resolv.conf': 'nameserver 10.0.0.2\n'}, ['network-manager'], 0),
        ):
            self.clear()
            del self.warnings[:]
            protocol._told.clear()
            name_servers.follow_dhcp(self.guest('debian', files), kinds)
            self.assertEqual(len(self.warnings), told, (files, kinds))

    def told(self, files, kinds):
        self.clear()
        del self.warnings[:]
        protocol._told.clear()
        name_servers.follow_dhcp(self.guest('debian', files), kinds)
        return self.warnings

    def test_settings_that_come_before_dhcp_are_told(self):
        config, server = '/etc/sysconfig/network/config', {'/etc/resolv.conf': 'search a.example\nnameserver 10.0.0.2\n'}
        for text, more, words in (
            ('NETCONFIG_DNS_POLICY=""\n', server, ['10.0.0.2', 'NETCONFIG_DNS_POLICY=""']), ('NETCONFIG_DNS_POLICY=""\n', {}, []), ('NETCONFIG_DNS_POLICY="auto"\n', server, []),
            ('NETCONFIG_DNS_POLICY=""\n', {'/etc/resolv.conf': '→/run/netconfig/resolv.conf'}, []), ('# NETCONFIG_DNS_POLICY=""\n', server, []),
            ('NETCONFIG_DNS_POLICY=STATIC\n', {}, [config, 'NETCONFIG_DNS_POLICY="STATIC"']), ("NETCONFIG_DNS_POLICY='STATIC_FALLBACK eth*'\n", server, []),
        ):
            self.told_once(dict(more, **{config: text}), words)
        manager, wide = {'/usr/sbin/NetworkManager': ''}, '[main]\nplugins=keyfile\n\n[global-dns]\nsearches=a.example\n[global-dns-domain-*]\n# own\nservers=10.0.0.2,10.0.0.3\n'
        for path in ('/etc/NetworkManager/NetworkManager.conf', '/etc/NetworkManager/conf.d/dns.conf'):
            for text, words in (
                (wide, [path, '10.0.0.2, 10.0.0.3', 'in place of']), (wide.replace('*]\n', '*]\n\noptions=x\n'), [path]), (wide.replace('servers', '#servers'), []),
                (wide.replace('domain-*', 'domain-a.example'), []), (wide.replace('10.0.0.2,10.0.0.3', '127.0.0.1'), []), (wide.replace('# own\n', '[connection]\n'), []),
            ):
                self.told_once(dict(manager, **{path: text}), words)
        self.told_once({'/etc/NetworkManager/conf.d/dns.conf': wide}, [])
        resolver, own, more = {'/usr/lib/systemd/systemd-resolved': ''}, '/etc/systemd/resolved.conf', '/etc/systemd/resolved.conf.d/a.conf'
        for files, words in (
            ({own: '[Resolve]\nDNS=10.0.0.2 10.0.0.3#dns.example\n'}, [own, '10.0.0.2, 10.0.0.3', 'beside']), ({own: '[Resolve]\n#DNS=10.0.0.2\nDNS=\n'}, []),
            ({own: '[Resolve]\nDomains=~.\n', more: '[Resolve]\nDNS = 10.0.0.2\n'}, [more, 'in place of']), ({own: '[Resolve]\nDNS=10.0.0.2\n', more: '[Resolve]\nDNS=\n'}, []),
            ({own: '[Resolve]\nDNS=127.0.0.1\nFallbackDNS=10.0.0.2\n'}, []),
        ):
            self.told_once(dict(files, **resolver), words)
        self.told_once({own: '[Resolve]\nDNS=10.0.0.2\n'}, [])

    def told_once(self, files, words):
        with self.subTest(files):
            told = self.told(files, ['wicked'])
            self.assertEqual((len(told), [word for word in words if word not in ''.join(told)]), (1 if words else 0, []))


class Exchange(TreeTest):
    MACS = {0: '02:00:00:00:00:01', 1: '02:00:00:00:00:02', 2: '02:00:00:00:00:03'}

    def test_only_names_that_the_kernel_gives_to_others_are_exchanged(self):
        self.assertEqual(exchange.taken({0: 'eth1', 1: 'eth0'}), ['eth1', 'eth0'])
        for names in ({0: 'eth1'}, {0: 'eth0', 1: 'eth1'}, {0: 'ens224', 1: 'ens192'}, {0: 'eth2', 1: 'eth1'}, {}, {0: 'eth1\n', 1: "eth0'"}):
            self.assertEqual(exchange.taken(names), [], names)
        guest = self.guest('debian', {'/usr/lib/systemd/systemd': ''})
        notes, left = exchange.configure(guest, {0: 'eth1', 1: 'eth0', 2: 'ens9'}, self.MACS)
        self.assertEqual((len(notes), left), (1, []))
        self.assertIn("cards='02:00:00:00:00:01 eth1\n02:00:00:00:00:02 eth0'\n", guest.read(exchange.SCRIPT))
        self.assertEqual(guest.names('/etc/systemd/system/sysinit.target.wants'), [exchange.UNIT])
        self.assertEqual(exchange.configure(guest, {0: 'eth1', 1: 'eth0', 2: 'ens9'}, self.MACS), ([], []))
        # On the next platform the cards come in another order.
        self.assertEqual(len(exchange.configure(guest, {0: 'eth0', 1: 'eth1'}, self.MACS)[0]), 1)
        self.assertEqual((guest.present(exchange.SCRIPT), guest.names('/etc/systemd/system/sysinit.target.wants')), (False, []))
        # Without addresses nobody knows which card is which; older device managers do it themselves.
        self.assertEqual(exchange.configure(guest, {0: 'eth1', 1: 'eth0'}, {0: '02:00:00:00:00:01', 1: None}), ([], ['eth1', 'eth0']))
        self.clear()
        self.assertEqual(exchange.configure(self.guest('debian'), {0: 'eth1', 1: 'eth0'}, self.MACS), ([], []))

    def test_the_script_exchanges_names_of_real_interfaces(self):
        program = shutil.which('ip', path='/usr/sbin:/sbin:/usr/bin:/bin')
        if os.geteuid() != 0 or not program:
            self.skipTest('needs root and ip')
        guest = self.guest('debian', {'/usr/lib/systemd/systemd': ''})
        exchange.configure(guest, {0: 'eth1', 1: 'eth0', 2: 'eth2'}, self.MACS)
        made = ' && '.join(
            ['mount -t sysfs none /sys'] + ['ip link add eth%d address 02:00:00:00:00:0%d type veth peer name peer%d' % (index, index + 1, index) for index in range(3)])
        told = subprocess.run(
            ['unshare', '-n', '-m', 'sh', '-c', made + ' || exit 9; sh "$1"; echo; sh "$1"; cd /sys/class/net && grep . eth*/address moved*/address', 'sh', self.root + exchange.SCRIPT],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if told.returncode == 9:
            self.skipTest('no network name spaces here')
        self.assertEqual(told.stdout.decode().split(), ['eth0/address:02:00:00:00:00:02', 'eth1/address:02:00:00:00:00:01', 'eth2/address:02:00:00:00:00:03'])


class Yaml(TreeTest):
    def test_what_is_written_reads_back_the_same(self):
        value = {
            'network': {
                'version': '2',
                'a b': {
                    'list': [{'to': 'default', 'via': 'fe80::1'}, ['x', 'y: z'], 'on # off'],
                    'none': None,
                    'empty': {},
                    'quoted': "it's \"so\"",
                },
            }
        }
        self.assertEqual(
            yaml_subset.load(yaml_subset.dump(value)),
            {
                'network': {
                    'version': '2',
                    'a b': {
                        'list': [{'to': 'default', 'via': 'fe80::1'}, ['x', 'y: z'], 'on # off'],
                        'none': 'null',
                        'empty': {},
                        'quoted': "it's \"so\"",
                    },
                }
            },
        )

    def test_what_is_beyond_it_is_refused(self):
        for text in ('a: &x 1', 'a: |\n  b', '\ta: 1', 'a: [1', 'a: 1\na: 2', 'a:\n  b: 1\n c: 2', '!!map {}', 'a: {b'):
            with self.subTest(text):
                self.assertRaises(yaml_subset.NotReadable, yaml_subset.load, text)
