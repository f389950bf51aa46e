import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

const FILE_LINES_MAX = 250;
const FUNCTION_LINES_MAX = 60;
const HEAD_LINES = 5;
const REASON = /\b[Ll]ong because/;

const root = join(import.meta.dirname, '..');

type Text = { readonly path: string; readonly text: string };
type Source = Text & { readonly ast: ts.SourceFile };

const isText = ({ text }: Text): boolean => !text.includes('\0');

/** The files that git tracks or would add. */
const texts: readonly Text[] = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(root, path)))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  .filter(isText);

const sources: readonly Source[] = texts
  .filter(({ path }) => /\.([cm]?[jt]s|tsx)$/.test(path))
  .map(({ path, text }) => ({ path, text, ast: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) }));

const lineOf = (ast: ts.SourceFile, offset: number): number => ast.getLineAndCharacterOfPosition(offset).line + 1;

/** Returns every node that breaks a rule, as `file:line`. */
const nodesThat = (breaks: (node: ts.Node, source: Source) => boolean, within = sources): string[] =>
  within.flatMap((source) => {
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (breaks(node, source)) found.push(`${source.path}:${lineOf(source.ast, node.getStart(source.ast))}`);
      ts.forEachChild(node, visit);
    };
    visit(source.ast);
    return found;
  });

/** Returns every line that matches a pattern, as `file:line`. */
const linesThat = (pattern: RegExp, within = texts): string[] =>
  within.flatMap(({ path, text }) => text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])));

const isTwofoldCast = (node: ts.Node): boolean =>
  ts.isAsExpression(node) && ts.isAsExpression(node.expression) && node.expression.type.kind === ts.SyntaxKind.UnknownKeyword;

const isDefaultExport = (node: ts.Node): boolean =>
  (ts.isExportAssignment(node) && node.isExportEquals !== true) ||
  (ts.isExportSpecifier(node) && node.name.text === 'default') ||
  (ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword));

const isErrorClass = (node: ts.ClassLikeDeclaration): boolean =>
  (node.heritageClauses ?? []).some(
    ({ token, types }) =>
      token === ts.SyntaxKind.ExtendsKeyword && types.every(({ expression }) => /(Error|Unavailable)$/.test(expression.getText())),
  );

/** Whether a function is the callback of a `describe`, or consists of tests: such a suite is read test by test. */
const isSuite = (node: ts.SignatureDeclaration): boolean => {
  const isGroup = (call: ts.Node): boolean => ts.isCallExpression(call) && /^(describe|it|test)\b/.test(call.expression.getText());
  const body = 'body' in node ? node.body : undefined;
  if (isGroup(node.parent)) return /^describe\b/.test(node.parent.getText());
  return body !== undefined && ts.isBlock(body) && body.statements.some((it) => ts.isExpressionStatement(it) && isGroup(it.expression));
};

/** Returns the statement or member that a function belongs to. A comment about the function is above it. */
const owner = (node: ts.Node): ts.Node => (ts.isStatement(node) || ts.isClassElement(node) ? node : owner(node.parent));

const commentsAbove = (node: ts.Node, { text }: Source): string =>
  (ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []).map(({ pos, end }) => text.slice(pos, end)).join('\n');

const isLongFunction = (node: ts.Node, source: Source): boolean => {
  if (!ts.isFunctionLike(node) || isSuite(node)) return false;
  const lines = lineOf(source.ast, node.end) - lineOf(source.ast, node.getStart(source.ast)) + 1;
  return lines > FUNCTION_LINES_MAX && !REASON.test(commentsAbove(owner(node), source));
};

const isLongFile = ({ text }: Text): boolean => {
  const lines = text.split('\n');
  return lines.length - 1 > FILE_LINES_MAX && !REASON.test(lines.slice(0, HEAD_LINES).join('\n'));
};

/** Returns a pattern for words that are given in pieces. A word in one piece would be found in this file itself. */
const anyOf = (...parts: readonly (readonly string[])[]): string => parts.map((word) => word.join('')).join('|');

describe('the code', () => {
  it('has no any', () => {
    expect(nodesThat(({ kind }) => kind === ts.SyntaxKind.AnyKeyword)).toEqual([]);
  });

  it('casts no type to another type through unknown', () => {
    expect(nodesThat(isTwofoldCast)).toEqual([]);
  });

  it('has no default export, except in the configuration of tools', () => {
    const ours = sources.filter(({ path }) => !path.endsWith('.config.js'));
    expect(nodesThat(isDefaultExport, ours)).toEqual([]);
  });

  it('has no class except errors', () => {
    expect(nodesThat((node) => ts.isClassLike(node) && !isErrorClass(node))).toEqual([]);
  });

  it(`gives a reason in its head if a file is over ${FILE_LINES_MAX} lines`, () => {
    expect(sources.filter(isLongFile).map(({ path }) => path)).toEqual([]);
  });

  it(`gives a reason above a function that is over ${FUNCTION_LINES_MAX} lines`, () => {
    expect(nodesThat(isLongFunction)).toEqual([]);
  });
});

describe('every file', () => {
  it('is finished', () => {
    expect(linesThat(new RegExp(`\\b(${anyOf(['TO', 'DO'], ['FIX', 'ME'], ['X', 'XX'])})\\b`))).toEqual([]);
  });

  it('names no path of the machine on which it was written', () => {
    expect(linesThat(new RegExp(`(?<![\\w.])/(${anyOf(['wo', 'rk'], ['ro', 'ot'], ['tmp/', 'bash_jobs'])})\\b/?`))).toEqual([]);
  });

  it('names no package registry', () => {
    expect(linesThat(new RegExp(`(${anyOf(['npm', 'js'], ['yarn', 'pkg'])})\\.(org|com)|^\\s+tarball:`))).toEqual([]);
  });
});

const TECHNOLOGIES = ['sqlite', 'disk', 'eventstoredb', 'kafka', 'mongodb', 'gridfs', 's3', 'redis'];
/** The libraries of engines. Only adapters may use them. */
const ENGINE_LIBRARIES = ['better-sqlite3', '@eventstore/db-client', 'kafkajs', 'mongodb', 'ioredis', '@aws-sdk/client-s3'];

const isTestCode = (path: string): boolean => /^test\/|\.test\.ts$|^(packages|services)\/[^/]+\/(testing|contract)\//.test(path);
const ours = sources.filter(({ path }) => /^(packages|services|test)\/.*\.ts$/.test(path));

/** Returns the imports of a file, including types and imports at run time: modules, and files by their path. */
const importsOf = ({ path, text }: Source): readonly string[] =>
  ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    if (fileName.startsWith('.')) return normalize(join(dirname(path), fileName));
    const [, name = '', file = ''] = /^@waymark\/([^/]+)\/(.+)$/.exec(fileName) ?? [];
    const folder = name === '' ? undefined : ['packages', 'services'].find((kind) => existsSync(join(root, kind, name)));
    return folder === undefined ? fileName : `${folder}/${name}/${file}`;
  });

const workspaceOf = (path: string): string => path.split('/').slice(0, 2).join('/');

describe('the folders', () => {
  const imports = new Map(ours.map((source) => [source.path, importsOf(source)]));

  it('name a technology once: its folder has the name, and its files do not repeat it', () => {
    const repeated = ours.filter(({ path }) => {
      const [folder = '', file = ''] = path.split('/').slice(-2);
      return TECHNOLOGIES.includes(folder) && file.startsWith(folder);
    });
    expect(repeated.map(({ path }) => path)).toEqual([]);
  });

  it('keep the libraries of engines out of the roots of packages that have adapters: those hold ports and pure code', () => {
    const isAdapter = ({ path }: Pick<Text, 'path'>): boolean => path.split('/').some((folder) => TECHNOLOGIES.includes(folder));
    const withAdapters = new Set(ours.filter(isAdapter).map(({ path }) => workspaceOf(path)));
    const atRoot = ours.filter(
      ({ path }) => dirname(path) === workspaceOf(path) && withAdapters.has(dirname(path)) && !isAdapter({ path }) && !isTestCode(path),
    );
    const engines = atRoot.filter(({ path }) => imports.get(path)?.some((one) => ENGINE_LIBRARIES.includes(one)));
    expect(atRoot.length).toBeGreaterThan(0);
    expect(engines.map(({ path }) => path)).toEqual([]);
  });

  it('keep code that only tests import in testing/ and contract/', () => {
    const imported = new Set([...imports].filter(([path]) => !isTestCode(path)).flatMap(([, files]) => files));
    const isEntry = (path: string): boolean => /\/main\.ts$|-thread\.ts$|^packages\/test-engines\/|^deploy\//.test(path);
    const forTests = ours.filter(({ path }) => !isTestCode(path) && !isEntry(path) && !imported.has(path));
    expect(forTests.map(({ path }) => path)).toEqual([]);
  });

  it('show in the name of a test whether it needs engines', () => {
    const tests = ours.filter(({ path }) => path.endsWith('.test.ts'));
    const needsEngines = ({ text }: Text): boolean => /\bdescribeOn(Installation)?\(/.test(text);
    const isNamedSo = ({ path }: Text): boolean => /\.(engine|control|deploy|soak)\.test\.ts$/.test(path);
    expect(tests.filter((one) => needsEngines(one) !== isNamedSo(one)).map(({ path }) => path)).toEqual([]);
  });

  it('give the entry of a thread a name that ends in -thread.ts', () => {
    const entries = ours.flatMap(({ text }) => [...text.matchAll(/new Worker\(new URL\('([^']+)'/g)].map(([, file = '']) => file));
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter((file) => !file.endsWith('-thread.ts'))).toEqual([]);
  });

  it('export exactly what other workspaces import', () => {
    const manifests = texts.filter(({ path }) => /^(packages|services)\/[^/]+\/package\.json$/.test(path));
    const wanted = (workspace: string): readonly string[] => {
      const files = [...imports].filter(([path]) => workspaceOf(path) !== workspace).flatMap(([, imported]) => imported);
      const own = files.filter((file) => file.startsWith(`${workspace}/`)).map((file) => `.${file.slice(workspace.length)}`);
      return [...new Set(own.map((file) => file.replace(/^\.\/(testing|contract)\/.*$/, './$1/*')))].sort();
    };
    const exported = ({ text }: Text): readonly string[] => Object.keys((JSON.parse(text) as { exports?: object }).exports ?? {}).sort();
    const named = manifests.map((one) => [workspaceOf(one.path), exported(one)]);
    expect(named).toEqual(manifests.map(({ path }) => [workspaceOf(path), wanted(workspaceOf(path))]));
  });
});
