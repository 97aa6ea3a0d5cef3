/** Attributes and members whose value people read or hear. */
const readByPeople = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-placeholder',
  'aria-roledescription',
  'aria-valuetext',
  'confirm',
  'description',
  'detail',
  'help',
  'helperText',
  'label',
  'lead',
  'placeholder',
  'primary',
  'secondary',
  'title',
  'titleAccess',
]);

/**
 * A lint rule that finds texts beside the catalogue: words between tags, in attributes and members that people read, and in what is
 * said in passing (`toast`). A text is found in both branches of a choice and in the fixed parts of a template too.
 */
const rule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { literal: '"{{words}}" belongs to the catalogue: renderer/text/en' },
  },
  create(context) {
    const check = (node) => {
      for (const { at, words } of wordsOf(node))
        context.report({ node: at, messageId: 'literal', data: { words: words.trim() } });
    };
    return {
      JSXText: check,
      JSXExpressionContainer(node) {
        if (node.parent.type === 'JSXElement' || node.parent.type === 'JSXFragment') check(node.expression);
      },
      JSXAttribute({ name, value }) {
        const attribute = name.type === 'JSXIdentifier' ? name.name : '';
        if (readByPeople.has(attribute) && value !== null)
          check(value.type === 'JSXExpressionContainer' ? value.expression : value);
      },
      Property({ key, value, parent }) {
        const member = key.type === 'Identifier' ? key.name : key.value;
        if (parent.type === 'ObjectExpression' && readByPeople.has(member)) check(value);
      },
      CallExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'toast') node.arguments.forEach(check);
      },
    };
  },
};

/** The fixed texts with letters that an expression may come to. */
function wordsOf(node) {
  switch (node.type) {
    case 'JSXText':
    case 'Literal':
      return typeof node.value === 'string' && /\p{L}/u.test(node.value) ? [{ at: node, words: node.value }] : [];
    case 'TemplateLiteral':
      return [
        ...node.quasis
          .filter(({ value }) => /\p{L}/u.test(value.cooked))
          .map((part) => ({ at: part, words: part.value.cooked })),
        ...node.expressions.flatMap(wordsOf),
      ];
    case 'ConditionalExpression':
      return [...wordsOf(node.consequent), ...wordsOf(node.alternate)];
    case 'LogicalExpression':
      return node.operator === '&&' ? wordsOf(node.right) : [...wordsOf(node.left), ...wordsOf(node.right)];
    case 'BinaryExpression':
      return node.operator === '+' ? [...wordsOf(node.left), ...wordsOf(node.right)] : [];
    default:
      return [];
  }
}

export const textsPlugin = { rules: { 'from-catalogue': rule } };
