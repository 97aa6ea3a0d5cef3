import type { Node } from 'web-tree-sitter';

/**
 * The rules that PSScriptAnalyzer has on by default and that scripts such as those of this project can break, over the tree of a real parser. Those of modules, manifests,
 * classes and DSC have nothing to look at here; those of help texts are for commands that others call.
 */

const verbs = new Set(
  [
    'Add',
    'Assert',
    'Clear',
    'Close',
    'Complete',
    'Confirm',
    'Connect',
    'Convert',
    'ConvertFrom',
    'ConvertTo',
    'Copy',
    'Disable',
    'Disconnect',
    'Dismount',
    'Enable',
    'Enter',
    'Exit',
    'Expand',
    'Export',
    'Find',
    'Format',
    'Get',
    'Import',
    'Initialize',
    'Install',
    'Invoke',
    'Join',
    'Measure',
    'Merge',
    'Mount',
    'Move',
    'New',
    'Open',
    'Out',
    'Publish',
    'Read',
    'Receive',
    'Register',
    'Remove',
    'Rename',
    'Repair',
    'Request',
    'Reset',
    'Resize',
    'Resolve',
    'Restart',
    'Restore',
    'Resume',
    'Save',
    'Search',
    'Select',
    'Send',
    'Set',
    'Show',
    'Split',
    'Start',
    'Stop',
    'Submit',
    'Suspend',
    'Switch',
    'Test',
    'Unlock',
    'Unregister',
    'Update',
    'Use',
    'Wait',
    'Watch',
    'Write',
  ].map((verb) => verb.toLowerCase()),
);
/** A function with one of these may be asked what it would do (-WhatIf), and would have to answer. */
const changingVerbs = new Set(['new', 'set', 'remove', 'start', 'stop', 'restart', 'reset', 'update']);
const forbidden: Readonly<Record<string, string>> = {
  'invoke-expression': 'runs text',
  'write-host': 'writes past every stream',
  'get-wmiobject': 'is gone in later versions',
  'invoke-wmimethod': 'is gone in later versions',
  'set-wmiinstance': 'is gone in later versions',
  'remove-wmiobject': 'is gone in later versions',
  'register-wmievent': 'is gone in later versions',
};
/** What Windows 7 and Server 2008 R2 (PowerShell 2, .NET 3.5) do not have. */
const notOld = new Set([
  'convertfrom-json',
  'convertto-json',
  'get-filehash',
  'expand-archive',
  'compress-archive',
  'get-ciminstance',
  'new-ciminstance',
  'invoke-cimmethod',
  'invoke-webrequest',
  'invoke-restmethod',
  'unblock-file',
  'get-disk',
  'get-partition',
  'get-volume',
  'set-disk',
  'get-netadapter',
  'get-netipaddress',
  'new-netipaddress',
  'set-netipinterface',
  'set-dnsclientserveraddress',
  'get-netconnectionprofile',
  'set-netconnectionprofile',
  'new-netfirewallrule',
  'set-netfirewallrule',
  'enable-netfirewallrule',
  'get-scheduledtask',
  'register-scheduledtask',
  'get-windowsoptionalfeature',
  'get-pnpdevice',
  'add-windowsdriver',
  'get-windowsdriver',
  'resolve-dnsname',
  'test-netconnection',
  'rename-computer',
  'set-timezone',
  'get-timezone',
  'clear-recyclebin',
]);
const notOldSwitches: Readonly<Record<string, RegExp>> = {
  'get-childitem': /\s-(?:file|directory|hidden|readonly|system|depth|attributes)\b/i,
  'get-content': /\s-(?:raw|tail)\b/i,
  'out-file': /\s-nonewline\b/i,
  'set-content': /\s-nonewline\b/i,
  'sort-object': /\s-(?:top|bottom)\b/i,
  'select-object': /\s-skiplast\b/i,
  'import-csv': /\s-literalpath\b/i,
};
const notOldSyntax: readonly (readonly [RegExp, string])[] = [
  [/\[(?:pscustomobject|ordered)\]/i, 'objects from tables need PowerShell 3'],
  [/(?<![\w-])-(?:not)?in\b(?!\s*[:=])/i, '-in needs PowerShell 3, use -contains'],
  [/\]::new\(/i, '::new() needs PowerShell 5, use New-Object'],
  [/\.(?:where|foreach)\s*[({]/i, 'methods of lists need PowerShell 4'],
  [/\$(?:psscriptroot|pscommandpath|psitem)\b/i, 'this variable is empty before PowerShell 3'],
  [
    /\bforeach\s*\(\s*\$\w+\s+in\s+[a-z]/i,
    'before PowerShell 3 a loop over nothing runs once: put the commands into @()',
  ],
  [/^\s*(?:class|enum)\s+\w+/im, 'classes need PowerShell 5'],
  [/\b(?:where|foreach)-object\s+[a-z_]\w*(?:\s|$)/i, 'a command without a block needs PowerShell 3'],
  [/\$using:/i, '$using: needs PowerShell 3'],
  [/\[(?:string)\]::isnullorwhitespace/i, 'is of .NET 4'],
  [/\[(?:io\.compression\.zipfile|system\.io\.compression\.zipfile)\]/i, 'is of .NET 4.5'],
];
const automatic = new Set([
  '_',
  'args',
  'error',
  'event',
  'eventargs',
  'eventsubscriber',
  'executioncontext',
  'false',
  'foreach',
  'home',
  'host',
  'input',
  'lastexitcode',
  'matches',
  'myinvocation',
  'nestedpromptlevel',
  'pid',
  'profile',
  'psboundparameters',
  'pscmdlet',
  'pscommandpath',
  'pshome',
  'psitem',
  'psscriptroot',
  'psversiontable',
  'pwd',
  'sender',
  'shellid',
  'stacktrace',
  'switch',
  'this',
  'true',
]);
/** Set for PowerShell itself. */
const preferences = /preference$/;
const reserved = new Set([
  'verbose',
  'debug',
  'erroraction',
  'warningaction',
  'informationaction',
  'errorvariable',
  'warningvariable',
  'informationvariable',
  'outvariable',
  'outbuffer',
  'pipelinevariable',
  'whatif',
  'confirm',
  'progressaction',
]);
const mostPositional = 2;

export interface Complaint {
  readonly line: number;
  readonly rule: string;
  readonly what: string;
}

export interface ScriptKind {
  /** Runs on guests that may be older than the commands that replace WMI's. */
  readonly isForOldGuests?: boolean;
  /** What other scripts read that are run together with this one. */
  readonly usedElsewhere?: ReadonlySet<string>;
}

const below = (node: Node): readonly Node[] => node.children.filter((child) => child !== null);

function* all(node: Node): Generator<Node> {
  yield node;
  for (const child of below(node)) yield* all(child);
}

const ofType = (node: Node, ...types: readonly string[]): readonly Node[] =>
  [...all(node)].filter(({ type }) => types.includes(type));
const parts = (node: Node): readonly Node[] => node.namedChildren.filter((child) => child !== null);

/** `script:gate` of `$script:gate` and of `${script:gate}`. */
const nameOf = (variable: Node): string =>
  variable.text
    .replace(/^[$@]\{?/, '')
    .replace(/\}$/, '')
    .toLowerCase();

/** The variable that an assignment gives a value, if it is one and not a part of one; casts may stand before it. */
function assigned(left: Node): Node | undefined {
  if (ofType(left, 'member_access', 'element_access', 'invokation_expression').length > 0) return undefined;
  const variables = ofType(left, 'variable');
  return variables.length === 1 ? variables[0] : undefined;
}

/** Every variable that a script reads, also within texts. */
export function readVariables(root: Node): ReadonlySet<string> {
  const written = new Set(
    ofType(root, 'assignment_expression').flatMap((assignment) => {
      const [left] = parts(assignment);
      const isPlain = below(assignment).some(({ type, text }) => type === 'assignement_operator' && text === '=');
      const target = left === undefined || !isPlain ? undefined : assigned(left);
      return target === undefined ? [] : [target.id];
    }),
  );
  const parameters = new Set(
    ofType(root, 'script_parameter').flatMap((one) =>
      parts(one)
        .filter(({ type }) => type === 'variable')
        .map(({ id }) => id),
    ),
  );
  return new Set(
    ofType(root, 'variable')
      .filter(({ id }) => !written.has(id) && !parameters.has(id))
      .map((variable) => nameOf(variable).replace(/^script:/, '')),
  );
}

/** Names of the commands that a script calls, in order. */
export function commandsOf(root: Node): readonly string[] {
  return ofType(root, 'command_name').map(({ text }) => text);
}

/** What is wrong, in the order of its lines. */
export function complaintsOf(
  root: Node,
  { isForOldGuests = false, usedElsewhere = new Set() }: ScriptKind = {},
): readonly Complaint[] {
  const found: Complaint[] = [];
  const say = (node: Node, rule: string, what: string): void =>
    void found.push({ line: node.startPosition.row + 1, rule, what });
  const functions = ofType(root, 'function_statement');
  const reads = readVariables(root);

  for (const node of all(root)) {
    if (node.isMissing) say(node, 'Syntax', `${node.type} is missing`);
    if (node.type === 'ERROR') say(node, 'Syntax', `not understood: "${node.text.slice(0, 40)}"`);
    if (node.type === 'command') checkCommand(node);
    if (node.type === 'catch_clause' && !ofType(node, 'statement_list').some((list) => list.namedChildCount > 0))
      say(node, 'AvoidUsingEmptyCatchBlock', 'an empty catch block');
    if (node.type === 'comparison_expression') checkComparison(node);
    if (node.type === 'assignment_expression') checkAssignment(node);
    if (node.type === 'pipeline_chain_tail') say(node, 'UseCompatibleSyntax', 'chains of pipelines need PowerShell 7');
    if (node.type === 'variable' && nameOf(node).startsWith('global:')) say(node, 'AvoidGlobalVars', node.text);
    if (['if_statement', 'elseif_clause', 'while_condition', 'do_while_condition'].includes(node.type))
      checkCondition(node);
  }
  for (const each of functions) checkFunction(each);
  if (isForOldGuests) checkForOldGuests();
  return found.toSorted((one, other) => one.line - other.line || one.rule.localeCompare(other.rule));

  function checkCommand(node: Node): void {
    const [head] = parts(node).filter(({ type }) => type === 'command_name');
    if (head === undefined) return;
    const name = head.text.toLowerCase();
    // Programs are called with & and their whole name, e.g. reg.exe.
    // The parser takes a range for a command.
    if (/^\d+\.\.\d+$/.test(name)) return;
    if (!/^[a-z]+-[a-z]+[0-9]*$/.test(name) && !/\.exe$/.test(name))
      say(head, 'AvoidUsingCmdletAliases', `${head.text} is an alias`);
    const why = forbidden[name];
    if (why !== undefined && !(isForOldGuests && why.startsWith('is gone')))
      say(
        head,
        name === 'write-host'
          ? 'AvoidUsingWriteHost'
          : name === 'invoke-expression'
            ? 'AvoidUsingInvokeExpression'
            : 'AvoidUsingWMICmdlet',
        `${head.text} ${why}`,
      );
    if (name === 'new-object' && /\b(?:hashtable|ordered)\b/i.test(node.text.split('\n')[0] ?? ''))
      say(head, 'UseLiteralInitializerForHashtable', node.text);
    if (name === 'convertto-securestring' && /-asplaintext/i.test(node.text))
      say(head, 'AvoidUsingConvertToSecureStringWithPlainText', head.text);
    if (/-algorithm\s+(?:md5|sha1)\b/i.test(node.text)) say(head, 'AvoidUsingBrokenHashAlgorithms', head.text);
    if (/-computername\s+['"\w]/i.test(node.text)) say(head, 'AvoidUsingComputerNameHardcoded', head.text);
    if (/-allowunencryptedauthentication\b/i.test(node.text))
      say(head, 'AvoidUsingAllowUnencryptedAuthentication', head.text);
    if (/\.exe$/.test(name)) return;
    // A value belongs to the parameter before it, but to none of those that are switches.
    let [positional, isAfterParameter] = [0, false];
    for (const element of parts(node)
      .filter(({ type }) => type === 'command_elements')
      .flatMap(parts)) {
      if (element.type === 'command_argument_sep' || element.type === 'redirection') continue;
      const isParameter = element.type === 'command_parameter';
      const isSplatted = element.text.startsWith('@') && /^@\w/.test(element.text);
      if (!isParameter && !isAfterParameter && !isSplatted) positional += 1;
      isAfterParameter = isParameter && !element.text.endsWith(':');
    }
    if (positional > mostPositional)
      say(
        head,
        'AvoidUsingPositionalParameters',
        `${head.text} has ${positional} values without the names of their parameters`,
      );
  }

  /** Over the code without its texts and comments, line by line. */
  function checkForOldGuests(): void {
    for (const node of ofType(root, 'command')) {
      const [head] = parts(node).filter(({ type }) => type === 'command_name');
      const name = head?.text.toLowerCase() ?? '';
      const words = notOldSwitches[name]?.exec(node.text.replaceAll(/'[^']*'|"[^"]*"/g, "''").split('|')[0] ?? '');
      if (head !== undefined && (notOld.has(name) || (words !== undefined && words !== null)))
        say(head, 'UseCompatibleCommands', `PowerShell 2 has no ${head.text}${words?.[0] ?? ''}`);
    }
    const hidden = ofType(
      root,
      'comment',
      'string_literal',
      'verbatim_string_characters',
      'expandable_string_literal',
      'verbatim_here_string_characters',
      'expandable_here_string_literal',
    );
    const letters = [...root.text];
    for (const { startIndex, endIndex } of hidden)
      for (let index = startIndex; index < endIndex; index++) if (letters[index] !== '\n') letters[index] = ' ';
    for (const [index, line] of letters.join('').split('\n').entries()) {
      for (const [pattern, why] of notOldSyntax)
        if (pattern.test(line)) found.push({ line: index + 1, rule: 'UseCompatibleSyntax', what: why });
    }
  }

  function checkComparison(node: Node): void {
    const operands = parts(node);
    const operator = operands.find(({ type }) => type === 'comparison_operator');
    const right = operands.at(-1);
    if (
      operator !== undefined &&
      /^-[ic]?(?:eq|ne|gt|ge|lt|le|like|notlike|contains|notcontains|in|notin)$/i.test(operator.text) &&
      /^\$null$/i.test(right?.text ?? '') &&
      !/contains|in$/i.test(operator.text)
    ) {
      say(node, 'PossibleIncorrectComparisonWithNull', '$null belongs on the left of a comparison');
    }
  }

  function checkAssignment(node: Node): void {
    const [left] = parts(node);
    const target = left === undefined ? undefined : assigned(left);
    if (target === undefined) return;
    const name = nameOf(target);
    if (automatic.has(name)) say(target, 'AvoidAssignmentToAutomaticVariable', `${target.text} is PowerShell's own`);
    const plain = name.replace(/^script:/, '');
    if (name === 'null' || name.startsWith('env:') || preferences.test(plain)) return;
    if (!reads.has(plain) && !usedElsewhere.has(plain))
      say(target, 'UseDeclaredVarsMoreThanAssignments', `${target.text} is assigned, but never used`);
  }

  /** Without what it decides on: only what is directly in the condition. */
  function checkCondition(node: Node): void {
    for (const condition of parts(node).filter(({ type }) => type === 'pipeline')) {
      const [inner] = parts(condition);
      if (inner?.type === 'assignment_expression')
        say(condition, 'PossibleIncorrectUsageOfAssignmentOperator', `= in a condition: ${condition.text}`);
      const redirection = inner === undefined ? undefined : parts(inner).find(({ type }) => type === 'redirections');
      if (redirection !== undefined && /^>/.test(redirection.text.trim()))
        say(condition, 'PossibleIncorrectUsageOfRedirectionOperator', `> in a condition: ${condition.text}`);
    }
  }

  function checkFunction(node: Node): void {
    const [heading] = parts(node).filter(({ type }) => type === 'function_name');
    if (heading === undefined) return;
    const [verb = '', noun = ''] = heading.text.split('-');
    if (!verbs.has(verb.toLowerCase()) || noun === '')
      say(heading, 'UseApprovedVerbs', `${heading.text} does not begin with an approved verb`);
    if (!/^\w+-\w+$/.test(heading.text)) say(heading, 'ReservedCmdletChar', heading.text);
    if (/[^s]s$/i.test(noun) && !/(?:us|is|ss|news|process|status)$/i.test(noun))
      say(heading, 'UseSingularNouns', `${heading.text} has a noun in the plural`);
    if (changingVerbs.has(verb.toLowerCase()))
      say(heading, 'UseShouldProcessForStateChangingFunctions', `${heading.text} would need -WhatIf`);
    const parameters = ofType(node, 'script_parameter');
    const names = parameters.map((parameter) =>
      nameOf(parts(parameter).find(({ type }) => type === 'variable') ?? parameter),
    );
    const body = ofType(node, 'variable')
      .filter(
        (variable) =>
          !parameters.some(
            (parameter) => variable.startIndex >= parameter.startIndex && variable.endIndex <= parameter.endIndex,
          ),
      )
      .map(nameOf);
    for (const [index, name] of names.entries()) {
      const parameter = parameters[index] ?? node;
      if (!body.includes(name)) say(parameter, 'ReviewUnusedParameter', `${parameter.text} is never used`);
      if (reserved.has(name)) say(parameter, 'ReservedParams', `${parameter.text} is a parameter of every command`);
      if (
        /passw|passphrase|credential/.test(name) &&
        !/\[(?:securestring|pscredential|switch|bool)\]/i.test(parameter.text)
      )
        say(parameter, 'AvoidUsingPlainTextForPassword', parameter.text);
    }
    if (names.some((name) => /^user(?:name)?$/.test(name)) && names.some((name) => /^passw/.test(name)))
      say(heading, 'AvoidUsingUsernameAndPasswordParams', heading.text);
  }
}
