import { dirname, relative, resolve, sep } from 'node:path';

/**
 * A lint rule that holds the walls between folders. Options: `root`, and `walls` of `{target, from, except, message, testsMay}`:
 * a file below one of `target` imports nothing below one of `from`, but for what lies below one of `except`; with `testsMay`, tests do. All are
 * paths relative to `root`; imports are relative paths with their file's ending, so nothing has to be resolved.
 */
const rule = {
  meta: { type: 'problem', schema: [{ type: 'object' }], messages: { wall: '{{specifier}}: {{message}}' } },
  create(context) {
    const { root, walls } = context.options[0];
    const file = relative(root, context.filename);
    const standing = walls.filter(
      ({ target, testsMay }) => isBelow(file, target) && !(testsMay === true && /\.test\.tsx?$/.test(file)),
    );
    if (standing.length === 0) return {};
    const check = (node) => {
      const specifier = node?.value;
      if (typeof specifier !== 'string' || !specifier.startsWith('.')) return;
      const imported = relative(root, resolve(dirname(context.filename), specifier));
      for (const { from, except = [], message } of standing) {
        if (from.some((folder) => isBelow(imported, folder)) && !except.some((folder) => isBelow(imported, folder))) {
          context.report({ node, messageId: 'wall', data: { specifier, message } });
        }
      }
    };
    return {
      ImportDeclaration: ({ source }) => check(source),
      ExportAllDeclaration: ({ source }) => check(source),
      ExportNamedDeclaration: ({ source }) => check(source),
      ImportExpression: ({ source }) => check(source),
    };
  },
};

/** Whether a path is the folder or file, or lies below it. */
function isBelow(path, folder) {
  return path === folder || path.startsWith(folder.split('/').join(sep) + sep);
}

export const wallsPlugin = { rules: { hold: rule } };
