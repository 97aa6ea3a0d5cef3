const byText = new Set(['getByText', 'getByLabel', 'getByPlaceholder', 'getByTitle', 'getByAltText']);

/**
 * A lint rule for the specs of the page: a text or a name is matched as a whole (`exact: true`), or by an expression
 * that is anchored (`^…` or `…$`). A part of a name also matches what the former screen has, or what the next one adds.
 */
const rule = {
  meta: {
    type: 'problem',
    fixable: 'code',
    schema: [],
    messages: {
      inexact: 'A part of a text matches others, too: add `exact: true`, or take an anchored expression',
      loose: 'Anchor the expression with ^ or $',
    },
  },
  create(context) {
    return {
      CallExpression(node) {
        const method = node.callee.type === 'MemberExpression' ? node.callee.property.name : undefined;
        const [first, second] = node.arguments;
        const options = second?.type === 'ObjectExpression' ? second : undefined;
        const text = byText.has(method) ? first : method === 'getByRole' ? memberOf(options, 'name') : undefined;
        if (text === undefined) return;
        if (text.regex !== undefined) {
          if (!/^\^|\$$/.test(text.regex.pattern)) context.report({ node: text, messageId: 'loose' });
        } else if (text.type !== 'NewExpression' && memberOf(options, 'exact')?.value !== true) {
          context.report({
            node: text,
            messageId: 'inexact',
            fix(fixer) {
              if (memberOf(options, 'exact') !== undefined) return null;
              return options === undefined
                ? fixer.insertTextAfter(text, ', { exact: true }')
                : fixer.insertTextAfter(options.properties.at(-1), ', exact: true');
            },
          });
        }
      },
    };
  },
};

const memberOf = (object, name) => object?.properties.find(({ key }) => key?.name === name)?.value;

export const exactNamesPlugin = { rules: { hold: rule } };
