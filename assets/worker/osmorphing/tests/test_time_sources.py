from causeway_osmorphing import time_sources

from .trees import TreeTest


class TimeSources(TreeTest):
    def test_clocks_of_the_source_become_comments_and_others_stay(self):
        guest = self.guest('rocky', {
            '/etc/chrony.conf': 'server 169.254.169.123 prefer iburst\npool 2.pool.example iburst\nrefclock PHC /dev/ptp_hyperv poll 3\nrefclock PPS /dev/pps0\nmakestep 1 3\n',
            '/etc/ntp.conf': 'server metadata.google.internal iburst\nserver metadata.example.com\n',
            '/etc/systemd/timesyncd.conf.d/a.conf': '[Time]\nNTP=169.254.169.254\nFallbackNTP=x\n',
            '/etc/systemd/timesyncd.conf': '[Time]\nNTP=169.254.169.254 ntp.example.com\n',
        })
        self.assertEqual(len(time_sources.remove(guest)), 3)
        self.assertEqual(guest.read('/etc/chrony.conf'), (
            '#server 169.254.169.123 prefer iburst\npool 2.pool.example iburst\n#refclock PHC /dev/ptp_hyperv poll 3\nrefclock PPS /dev/pps0\nmakestep 1 3\n'))
        self.assertEqual(guest.read('/etc/ntp.conf'), '#server metadata.google.internal iburst\nserver metadata.example.com\n')
        self.assertEqual(guest.read('/etc/systemd/timesyncd.conf.d/a.conf'), '[Time]\n#NTP=169.254.169.254\nFallbackNTP=x\n')
        self.assertEqual(guest.read('/etc/systemd/timesyncd.conf'), '[Time]\nNTP=169.254.169.254 ntp.example.com\n')
        self.assertEqual((time_sources.remove(guest), self.warnings), ([], []))

    def test_clocks_with_numbers_are_the_sources_unless_the_guest_loads_that_of_kvm(self):
        text = 'refclock PHC /dev/ptp0 poll 3 dpoll -2 offset 0\npool 2.pool.example iburst\n'
        for more, stays in (({}, False), ({'/etc/modules-load.d/clock.conf': 'ptp_kvm\n'}, True), ({'/etc/modules': '#ptp_kvm\n'}, False)):
            self.clear()
            guest = self.guest('debian', dict({'/etc/chrony/chrony.conf': text}, **more))
            self.assertEqual(time_sources.remove(guest), [] if stays else ['/etc/chrony/chrony.conf no longer asks the time of the source\'s platform'])
            self.assertEqual(guest.read('/etc/chrony/chrony.conf'), text if stays else '#' + text)
            self.assertEqual(time_sources.remove(guest), [])

    def test_clocks_with_numbers_stay_where_every_kernel_has_that_of_kvm_built_in(self):
        text = 'refclock PHC /dev/ptp0 poll 3\npool 2.pool.example iburst\n'
        def kernel(version, builtin):
            return {'/boot/vmlinuz-' + version: 'kernel', '/lib/modules/%s/modules.builtin' % version: builtin}
        own, another = 'kernel/drivers/ptp/ptp_kvm.ko\n', 'kernel/drivers/ptp/ptp.ko\nkernel/drivers/ptp/ptp_kvm_other.ko\n'
        for kernels, stays in (((kernel('6.1', own),), True), ((kernel('6.1', own), kernel('5.10', another)), False), ((kernel('6.1', another),), False)):
            self.clear()
            guest = self.guest('rocky', dict({'/etc/chrony.conf': text}, **dict(item for one in kernels for item in one.items())))
            time_sources.remove(guest)
            self.assertEqual(guest.read('/etc/chrony.conf'), text if stays else '#' + text)

    def test_a_guest_without_any_other_is_told_and_hyper_v_keeps_its_device(self):
        guest = self.guest('rocky', {'/etc/chrony.conf': 'refclock PHC /dev/ptp_hyperv poll 3\n'})
        self.assertEqual(time_sources.remove(guest, 'hyperv'), [])
        self.assertEqual(len(time_sources.remove(guest)), 1)
        self.assertEqual(len(self.warnings), 1)
