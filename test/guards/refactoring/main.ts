#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';

// Checks that a commit changes only what its kind allows:
//
//     node test/guards/refactoring/main.ts moves|renames|comments|messages COMMIT
//
// moves: files and paths of imports. renames: identifiers. comments: comments. messages: texts in quotes, and in tests the patterns that
// match them. It compares what TypeScript emits for each source file before and after the commit, without types and comments, token by token.

const root = join(import.meta.dirname, '../../..');
const git = (...words: readonly string[]): string => execFileSync('git', words, { cwd: root, maxBuffer: 512 * 1024 * 1024 }).toString();

const kinds = ['moves', 'renames', 'comments', 'messages'] as const;
type Kind = (typeof kinds)[number];

type Token = { readonly kind: ts.SyntaxKind; readonly text: string };

const isText = (kind: ts.SyntaxKind): boolean =>
  kind === ts.SyntaxKind.StringLiteral || (kind >= ts.SyntaxKind.FirstTemplateToken && kind <= ts.SyntaxKind.LastTemplateToken);

const isPattern = (kind: ts.SyntaxKind): boolean => kind === ts.SyntaxKind.RegularExpressionLiteral;

const isName = (kind: ts.SyntaxKind): boolean => kind === ts.SyntaxKind.Identifier;

/** Whether two tokens of a file may differ in a commit of a kind. */
const mayDiffer = (kind: Kind, before: Token, after: Token, path: string): boolean => {
  const areBoth = (test: (kind: ts.SyntaxKind) => boolean): boolean => test(before.kind) && test(after.kind);
  if (kind === 'messages') return areBoth(isText) || (areBoth(isPattern) && path.endsWith('.test.ts'));
  if (kind === 'renames') return areBoth(isName);
  return kind === 'moves' && areBoth(isText) && [before, after].every(({ text }) => /^.[@.\w/-]+.$/.test(text));
};

/** Returns the tokens of a file: emitted without types and comments, with shorthands written out, and with imports in an order that does
 * not depend on the names of modules. */
const tokensOf = (kind: Kind, text: string): readonly Token[] => {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2024,
      module: ts.ModuleKind.ESNext,
      removeComments: true,
      verbatimModuleSyntax: true,
    },
    transformers: { before: [writeOut] },
  });
  const ast = ts.createSourceFile('file.js', outputText, ts.ScriptTarget.Latest, true);
  const [imports, others] = [ast.statements.filter(ts.isImportDeclaration), ast.statements.filter((one) => !ts.isImportDeclaration(one))];
  return [...importsOf(kind, imports, ast), ...others.flatMap((one) => leaves(kind, one, ast))];
};

/** Returns the imports in an order that the commit does not change. The formatter sorts imports by the names of modules, and sorts the
 * names within braces by themselves. For a rename only the modules count, because the compiler checks the names. */
const importsOf = (kind: Kind, imports: readonly ts.ImportDeclaration[], ast: ts.SourceFile): readonly Token[] => {
  const all = imports.map((one) => leaves(kind, kind === 'renames' ? one.moduleSpecifier : one, ast));
  const key = (tokens: readonly Token[]): string => {
    const sorted = tokens.filter((token) => kind === 'renames' || !isText(token.kind));
    return sorted.map(({ text }) => text).join(' ');
  };
  return all.sort((one, other) => (key(one) < key(other) ? -1 : 1)).flat();
};

/** Whether the formatter adds or removes the parentheses of an expression with the length of its line. */
const isOfFormatter = ({ parent, expression }: ts.ParenthesizedExpression): boolean =>
  ts.isReturnStatement(parent) || (ts.isArrowFunction(parent) && ts.isConditionalExpression(expression));

/** Writes `{ a }` as `{ a: a }`, because a rename of one of the two requires the long form. */
const writeOut: ts.TransformerFactory<ts.SourceFile> = (context) => {
  const visit = (node: ts.Node): ts.Node => {
    if (ts.isShorthandPropertyAssignment(node)) return ts.factory.createPropertyAssignment(node.name.text, node.name);
    if (ts.isParenthesizedExpression(node) && isOfFormatter(node)) return visit(node.expression);
    const visited = ts.visitEachChild(node, visit, context);
    const isShort =
      ts.isBindingElement(visited) && !visited.propertyName && !visited.dotDotDotToken && ts.isObjectBindingPattern(node.parent);
    if (!isShort || !ts.isIdentifier(visited.name)) return visited;
    return ts.factory.updateBindingElement(
      visited,
      undefined,
      ts.factory.createIdentifier(visited.name.text),
      visited.name,
      visited.initializer,
    );
  };
  return (file) => ts.visitEachChild(file, visit, context);
};

/** The tokens of a node. For messages, the values in a text are sorted: another sentence may name them in another order. */
const leaves = (kind: Kind, node: ts.Node, ast: ts.SourceFile): readonly Token[] => {
  if (kind === 'messages' && ts.isTemplateExpression(node)) {
    const values = node.templateSpans.map(({ expression }) => leaves(kind, expression, ast));
    const texts = [node.head, ...node.templateSpans.map(({ literal }) => literal)];
    const key = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join(' ');
    return [...texts.flatMap((one) => leaves(kind, one, ast)), ...values.sort((one, other) => (key(one) < key(other) ? -1 : 1)).flat()];
  }
  const children = node.getChildren(ast);
  const text = node.getText(ast);
  if (children.length > 0) return children.flatMap((child) => leaves(kind, child, ast));
  return text === '' || text === ',' ? [] : [{ kind: node.kind, text }];
};

/** Returns the source files of a commit, with their paths before and after. */
const changed = (commit: string): readonly (readonly [before: string, after: string])[] =>
  git('diff', '--name-status', '-M30%', '-l10000', `${commit}^`, commit)
    .trim()
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, path = '']) => path.endsWith('.ts'))
    .map(([status = '', before = '', after = before]) => {
      if (/^[AD]/.test(status)) throw new Error(`${before} is ${status === 'A' ? 'new' : 'gone'}.`);
      return [before, after] as const;
    });

/** Returns the differences of a file.
 * @throws if the versions differ in more than the kind allows */
const compare = (
  kind: Kind,
  [before, after]: readonly [Token[], Token[]] | readonly (readonly Token[])[],
  path: string,
): readonly string[] => {
  if (before === undefined || after === undefined) return [];
  return before.flatMap((one, nth) => {
    const other = after[nth];
    if (other === undefined) throw new Error(`${path} ends before ${one.text}`);
    if (one.kind === other.kind && one.text === other.text) return [];
    if (!mayDiffer(kind, one, other, path)) throw new Error(`${path}: ${one.text} became ${other.text}`);
    return [`${one.text} → ${other.text}`];
  });
};

const [kind, commit = 'HEAD'] = process.argv.slice(2);
const isKind = (word: string | undefined): word is Kind => kinds.some((one) => one === word);
if (!isKind(kind)) throw new Error(`Name a kind: one of ${kinds.join(', ')}.`);
const files = changed(commit);
const differences = new Set<string>();
for (const [before, after] of files) {
  const [old, now] = [tokensOf(kind, git('show', `${commit}^:${before}`)), tokensOf(kind, git('show', `${commit}:${after}`))];
  if (old.length !== now.length) throw new Error(`${after}: ${old.length} tokens became ${now.length}`);
  for (const difference of compare(kind, [old, now], after)) differences.add(difference);
}
process.stdout.write(
  `${[...differences].sort().join('\n')}\n${files.length} files differ in ${kind} alone: ${differences.size} differences\n`,
);
