import { lifePromises, type Promised } from './life-promises.ts';

export const promises: Readonly<Record<string, readonly Promised[]>> = {
  ...lifePromises,
  'Success means compared': [
    {
      promise:
        'A block that was written and not compared is never called verified: not after a cancel, a lost worker, `--verify none`, a new snapshot or a resume.',
      tests: [
        'a success with verification means equal bytes, and what counts as verified was compared',
        'an execution without verification says that its blocks are compared later',
      ],
    },
    {
      promise:
        'The source confirms after the last read, and before success is recorded, that everything was read in one state.',
      tests: [
        'the source is asked after the last read and the verification, before success is recorded',
        'denies that one state was read when the file changed right after a read, and releases the snapshot all the same',
      ],
    },
    {
      promise: 'A snapshot that cannot be released blocks no later execution.',
      tests: [
        "a base that the source can't release blocks no later execution, is reported, and is released once it can be",
        "a snapshot that can't be discarded blocks no later execution",
      ],
    },
    {
      promise: 'A resumed execution that has lost its snapshot copies the disks again from a new one.',
      tests: [
        'with the snapshot gone after everything was copied, while it was %s, the disks are copied again from a new one',
        'takes back runs again with what it needs, and so do the clean-ups after it',
      ],
    },
    {
      promise: 'A damaged page of the digest map leads to a comparison, not to a failure for ever.',
      tests: [
        'does not fail a verification after a run: that compares its blocks although the source reports no change',
      ],
    },
    {
      promise: 'After a failed deployment in place, volumes are compared and only differences are sent.',
      tests: [
        'volumes that could not be restored are compared with the source by the next execution, which sends only what differs',
      ],
    },
    {
      promise: 'Lost connections count only while there is no progress.',
      tests: ['attempts are counted anew after each that made progress, and are bounded without'],
    },
    {
      promise: 'Memory does not grow with the disk: digests of a backup are streamed.',
      tests: [
        'holds no more of a file that is none than a list would have before it',
        'is the same however both files are cut',
      ],
    },
    {
      promise: 'The worker agent reports every write error and survives concurrent requests.',
      tests: [
        'test_a_flush_never_answers_ok_for_an_error_that_another_call_received',
        'test_zeros_that_find_a_way_closed_at_the_same_time_are_all_written',
      ],
    },
    {
      promise: 'Crashes and faults at any point leave volumes that equal the source, a clean ledger and nothing else.',
      tests: [
        'every point ends byte-identical, with a clean ledger and nothing left',
        'a run that ends has made the volume equal to its snapshot, claims nothing that is not durable, and sends nothing twice',
      ],
    },
  ],
  'Nothing is forgotten': [
    {
      promise:
        'After an interrupted creation, the resource is looked up several times before it is created again or dropped.',
      tests: [
        'lists that lag, kills in the middle of requests, restarts, set clocks: no resource exists that the ledger calls removed or does not know',
      ],
    },
    {
      promise: 'A check of the ledger compares with what platforms list, and offers what it finds for deletion.',
      tests: ['names what the cloud has of this project and the ledger has not, and removes it by its id'],
    },
    {
      promise: 'An endpoint that is out of reach or not accepted does not end the check of the others.',
      tests: [
        'an endpoint out of reach and one that awaits acceptance are reported; the others are checked',
        'nothing is called gone at an endpoint that was not asked',
      ],
    },
    {
      promise: 'Snapshots, backups and images that were made to read servers are compared, too.',
      tests: [
        'is known by the name that the ledger gave it: snapshots, backups and images, not those of others',
        "what a source has of an earlier computer's work is listed with the source, and removed there when it is named",
      ],
    },
    {
      promise: 'Clean-ups run when the database cannot be written; the execution is interrupted and says why.',
      tests: [
        'at any write of an execution: clean-ups run, it is interrupted and says why, and it ends well when it is resumed',
        'waits for what runs beside it, cleans up, and the run is interrupted, not failed',
      ],
    },
    {
      promise: 'A full disk under the project loses nothing, and the project can be read.',
      tests: [
        'in the middle of an execution (%d of its content sent): it cleans up, says why, can be read, and goes on when there is space',
      ],
    },
    {
      promise: 'Errors that nothing catches are recorded, and the engine is replaced.',
      tests: [
        'an engine that fails after its start is ended and replaced',
        'a rejection that nobody handles ends the process, and is written to standard error',
      ],
    },
    {
      promise: 'Two processes on one project and a clock that jumps by an hour do no harm.',
      tests: [
        'that execute the same replica at the same time: one does the work, the other one is told so, nothing is made twice',
        'during %s: the execution ends well, and nothing is made twice',
      ],
    },
    {
      promise: 'One replica is written by one computer only; another one takes over after the consequences were shown.',
      tests: [
        'that share its description: the second one stops before it creates or writes anything, and names the first',
        'whose data belongs to another computer says so, and is taken over after the consequences were shown',
      ],
    },
  ],
  'Images and files': [
    {
      promise: 'No disk image makes Causeway open a file outside the folder of its endpoint.',
      tests: [
        'are refused: what another parser of the descriptor would open, also within an OVA',
        'is read to the last extent: nothing after a ZERO extent is left to another reader',
        'may not hide a descriptor in an extent: a capacity of 0',
      ],
    },
    {
      promise: 'Mutated images read nothing outside, take bounded work, and end with an error.',
      tests: ['mutants of images: nothing outside of the folder is opened, work stays bounded, errors are told'],
    },
    {
      promise: 'A descriptor takes linear work.',
      tests: ['of line breaks alone is refused at a line, after linear work'],
    },
    {
      promise: 'A VHDX with a long log is read with work for what is read.',
      tests: [
        'reads a file under a long log with work for what is read, not for what the log holds',
        'shows patches of a log over the file as if they had been written to it one after the other',
      ],
    },
    {
      promise: 'A workbook that unpacks to far more than it has is refused.',
      tests: [
        'that unpacks to far more than it has is refused before anything is read',
        'that says it is smaller than it is is refused where that shows',
      ],
    },
  ],
  Trust: [
    {
      promise:
        'A project folder that this computer has not accepted contacts nothing, starts nothing and uses no secret.',
      tests: [
        'a folder from elsewhere contacts nobody, starts nothing and uses no secret; reading and checking it works',
        'a project that came from elsewhere reaches nothing until it is accepted; reading and configuring work',
      ],
    },
    {
      promise: 'A later change of an address, certificate setting or secret is not used before it is accepted.',
      tests: [
        'a later change of address, certificate setting or secret is not used before it is accepted',
        'after any changes of files and any acceptances, only what was entered or accepted here is used',
      ],
    },
    {
      promise: 'An endpoint and its secrets are one sealed record.',
      tests: ['is one sealed record: connection and secrets, neither in plain text'],
    },
    {
      promise: 'A libvirt URI starts no program.',
      tests: ['after it is accepted, only what was shown is contacted, and what is unsafe never is'],
    },
    {
      promise: 'Secrets travel over TLS, or on loopback.',
      tests: [
        'every URL of a connection is https, or http on loopback',
        'sends nothing to a server that it does not trust, and does not try again',
      ],
    },
    {
      promise: 'A project that nobody shares shows no address in its files.',
      tests: ['no address stands in the files of a project that nobody shares'],
    },
    {
      promise: 'WinRM sends nothing to a server with another certificate, and reads a bounded answer.',
      tests: [
        'gets no byte, the password least of all, when its certificate is not the one that was made for it',
        'cannot make the engine read without end',
      ],
    },
    {
      promise: 'A worker makes a host key of its own after the first login.',
      tests: [
        'has a worker make a host key of its own after the first login, and then refuses the one that was in its user data',
      ],
    },
    {
      promise: 'Programs that a guest gets come over https, over loopback, or with a digest.',
      tests: [
        'a program comes over https, over loopback, or with its digest',
        'expects the digest that a URL ends with',
        'test_a_disc_with_a_digest_is_checked_before_anything_of_it_is_read',
      ],
    },
    {
      promise: 'A guest cannot leave its root on the worker that prepares it.',
      tests: [
        'is prepared, and nothing of the worker is read, changed, mounted over, killed or left running',
        'test_no_operation_on_any_tree_of_links_leaves_the_root',
      ],
    },
    {
      promise:
        'Debian packages are installed by root alone, on a terminal only after a yes, never with --no-install; no service is started by that.',
      tests: [
        'are named to an ordinary user without those that only root has a use for',
        'are refused during an installation, and only then',
        'stay refused while apt or dpkg of a killed installation goes on, and only to what that starts',
      ],
    },
    {
      promise:
        'The one-time link of the workbench is on no command line; the cookie alone opens nothing; an unused session ends.',
      tests: [
        'the link reaches the browser in a file that its owner alone can read',
        'refuses a socket with the cookie alone, which a browser shows to every port, and with the secret of another session',
        'a session that nobody uses ends, one that is used goes on',
      ],
    },
    {
      promise: 'The state folder of a project is closed to other users.',
      tests: ['a state folder that others could read is closed, with its files'],
    },
    {
      promise: 'No secret is written, printed or repeated.',
      tests: ['a secret is in no file, event, answer or error, even when a platform repeats it'],
    },
  ],
  Guests: [
    {
      promise: 'A guest that waits for somebody at its console is never called up.',
      tests: [
        'never calls a guest up that waits for somebody, whatever text with "login:" is before and after that',
        'a prompt after a stop is no boot: only a restart, a boot that goes on, or a sign of its end',
      ],
    },
    {
      promise: 'A healthy guest is never failed for what is written over its login prompt.',
      tests: ['never fails a healthy guest for text that is interleaved, coloured, cut, or lost from the buffer'],
    },
    {
      promise: 'Device names of every kind are fixed or named.',
      tests: ['test_names_of_every_kind_become_uuids', 'test_what_nothing_tells_apart_is_refused_with_its_remedy'],
    },
    {
      promise: 'Interface names are kept.',
      tests: [
        'test_a_card_that_no_file_names_keeps_the_name_that_was_logged',
        'test_a_name_that_nothing_tells_is_warned_of',
      ],
    },
    {
      promise: 'Network configurations of every kind are converted as described.',
      tests: ['test_each_kind_is_converted_as_its_case_says_and_a_second_time_changes_nothing'],
    },
    {
      promise: 'A root that is mounted read-only is reported.',
      tests: ['test_a_root_that_is_mounted_read_only_is_told'],
    },
  ],
  'The specification': [
    {
      promise: 'An agent of a Windows guest is configured wherever it is installed.',
      tests: [
        'test_an_agent_that_lies_elsewhere_is_configured_and_enabled',
        'has its own agent configured and enabled, wherever its service says that it is',
      ],
    },
    {
      promise: '`set_dhcp: true` configures DHCP on a Windows worker.',
      tests: ['asks by DHCP on every interface, unless it keeps its addresses'],
    },
    {
      promise: '`disk_bus` reaches the preparation: the drivers of that bus are in the initial RAM disk.',
      tests: ['test_disks_of_other_buses_get_their_drivers_and_those_are_looked_for_in_the_image'],
    },
    {
      promise: 'A worker that is older than the guest is warned of.',
      tests: ['test_a_worker_that_is_older_than_the_guest_is_warned_of'],
    },
    {
      promise: 'Tools of the source hypervisor are removed.',
      tests: ['removes the tools of the hypervisor that the guest comes from, and leaves no alias of theirs behind'],
    },
    {
      promise: '`migr_worker_use_config_drive` is about workers only.',
      tests: ['keep an address that has a prefix length, and get no config drive from the key that is for workers'],
    },
    {
      promise: 'A fixed address may have a prefix length; one parser reads it everywhere.',
      tests: ['is taken from the list of a NIC without its prefix length'],
    },
    {
      promise: 'A section of the provider configuration may have the name of the product.',
      tests: ['may call its section by the product'],
    },
    {
      promise: 'Facts of a VM that cannot be true are found, and one fault hides no other.',
      tests: ['a fault that does not matter to the rules does not hide what they find', 'facts that cannot be true'],
    },
    {
      promise: 'Every rule has a case.',
      tests: ['has a case, each one of them'],
    },
  ],
  'The workbench, the command line and the desktop app': [
    {
      promise: 'A long list is imported without the page standing still.',
      tests: [
        'a long list is imported with a break after each slice, and gives what it gives in one go',
        'an import that is called off stops at the next break',
      ],
    },
    {
      promise: 'RVTools vInfo as CSV: the number of disks is not taken for their size.',
      tests: ['vInfo of RVTools as CSV: the size of disks is their capacity, and "Disks" only counts them'],
    },
    {
      promise: 'Checked files and fixes are not lost when their screen is left.',
      tests: [
        'files stay when their screen is left, and closing the page is objected to while a fix is not saved',
        'saves all fixed files from one notice',
      ],
    },
    {
      promise: 'Waves are created and listed on the command line.',
      tests: ['are created, listed, renamed and removed'],
    },
    {
      promise:
        'No member of a wave starts twice or before what it depends on, whatever people do and whenever the engine ends.',
      tests: [
        'whatever people do, however members end and whenever the engine is killed: none starts twice or too early, and the counts add up',
        'what an engine that was killed left open is taken up where it was, without a second start',
      ],
    },
    {
      promise:
        'A planned start happens once; one that the computer slept through is skipped, caught up or waits for a person, as planned.',
      tests: [
        'what is due starts once, however often somebody looks, and nothing that was due before the first look',
        'what the computer slept through waits for a person, is skipped or is started now, as the plan says; the newest stands for all',
      ],
    },
    {
      promise: 'An untrusted certificate is named as such, with a way to trust it.',
      tests: ['shows whom an address belongs to, and takes its certificate when somebody says so'],
    },
    {
      promise: 'A connection that can reach nothing is refused where it is entered.',
      tests: ['a connection that can reach nothing is refused where it is entered'],
    },
    {
      promise: 'Reading commands change nothing in a folder that is no project.',
      tests: ['is left as it is by a list that cannot be read'],
    },
    {
      promise: 'The demonstration deploys with default options.',
      tests: ['the demonstration moves a VM, deploys it with default options on the lab, and logs in to it'],
    },
    {
      promise: "SSH works with the cryptography of Electron's runtime.",
      tests: ['logs in by SSH and sends data'],
    },
    {
      promise: "The key store's unprotected fallback is refused.",
      tests: ['is not made, and not opened, with the key that is built into the browser'],
    },
    {
      promise: 'Unsaved changes are asked about before the engine stops.',
      tests: ['ends nothing when the page has unsaved changes that are to be kept, however often it is tried'],
    },
    {
      promise: 'An engine that hangs or dies is ended and replaced.',
      tests: [
        'that V8 can not go on with ends, says where, and passes its report to nobody',
        'to its start is ended, and that is said',
      ],
    },
    {
      promise: 'The end of a Windows session is waited for.',
      tests: ['waits for executions to be cancelled, and asks nothing'],
    },
    {
      promise: 'A form gives every value back as it was.',
      tests: ['a value without a usable toString'],
    },
  ],
};
