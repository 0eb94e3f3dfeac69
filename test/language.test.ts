/** Checks the language rules of CONTRIBUTING.md that a machine can check; cspell checks the spelling. */
import { globSync } from 'node:fs';
import { parseSync, Visitor } from 'vite';
import { describe, expect, it } from 'vitest';
import { projectRoot, sourceFilesIn, sourceModule } from '#test/support/source/modules.ts';

const folders = ['bench', 'bin', 'cli', 'dashboard', 'lambdas', 'lib', 'local', 'test'];
const files = [...sourceFilesIn(...folders), ...globSync('*.ts', { cwd: projectRoot })];
const sources = files.map(sourceModule);

interface SourceCode {
  /** Its extension determines the syntax. */
  file: string;
  code: string;
}

/** Names that do not say what they mean, with the standard terms that readers search for. */
const bannedIdentifiers: { pattern: RegExp; instead: string }[] = [
  { pattern: /^(most|longest|highest|largest)[A-Z]/, instead: 'max…' },
  { pattern: /^(least|shortest|lowest|smallest)[A-Z]/, instead: 'min…' },
  { pattern: /AtOnce/, instead: 'concurrency, …Concurrently' },
  { pattern: /^underWay$|UnderWay/, instead: 'inFlight' },
  { pattern: /^(is)?away$|^away[A-Z]|Away$/i, instead: 'unavailable, isTransient' },
  { pattern: /InTheWay/, instead: 'conflicting, ConditionFailedError' },
  { pattern: /^(told|said)|(Told|Said)$/, instead: 'reported, parsed, returned' },
  { pattern: /^answer|Answer/, instead: 'response, completion' },
  { pattern: /^gather|Gathered/, instead: 'readAll, accumulate' },
  { pattern: /^piece|Pieces?$/, instead: 'chunk' },
  { pattern: /setAside/i, instead: 'quarantined' },
  { pattern: /lookedAt/i, instead: 'scanned' },
  { pattern: /strikeOut/i, instead: 'redact' },
  { pattern: /^lanes?$|Lanes?$/, instead: 'writeShard' },
  { pattern: /^lack|Lacking/, instead: 'missing' },
  { pattern: /dearest/i, instead: 'topByCost' },
  { pattern: /standIn$/i, instead: 'placeholder' },
];

function bannedIn({ file, code }: SourceCode): string[] {
  const problems = [...new Set(code.match(/[\w$]+/g))].flatMap((name) =>
    bannedIdentifiers.filter(({ pattern }) => pattern.test(name)).map(({ instead }) => ({ name, instead })),
  );
  // Most files have none of the words, and syntax trees take time.
  if (problems.length === 0) return [];
  const identifiers = identifiersIn({ file, code });
  return problems
    .filter(({ name }) => identifiers.has(name))
    .map(({ name, instead }) => `${name} (use ${instead})`);
}

function identifiersIn({ file, code }: SourceCode): Set<string> {
  const names = new Set<string>();
  const add = ({ name }: { name: string }) => void names.add(name);
  const visitor = new Visitor({ Identifier: add, PrivateIdentifier: add, JSXIdentifier: add });
  visitor.visit(parseSync(file, code).program);
  return names;
}

/** Comments that begin with a pronoun leave out the noun that they explain. */
function vagueCommentsIn({ file, code }: SourceCode): string[] {
  return parseSync(file, code)
    .comments.map(({ start, end }) => code.slice(start, end))
    .filter((text) =>
      /^(?:\/\*\*?|\/\/)[\s*]*(?:What|Of|Who|Whom|Whose|Whoever|Whatever|Which|That of|Those)\b/.test(text),
    );
}

describe('bannedIn and vagueCommentsIn', () => {
  it('reports a banned identifier together with its replacement', () => {
    const code = "const mostBytes = 1; // longestName\nconst text = 'highestRate';";
    expect(bannedIn({ file: 'a.ts', code })).toEqual(['mostBytes (use max…)']);
  });

  it('reads the names of JSX, but not its text', () => {
    const code = "const view = <Parts answerText={mostBytes}>Don't say largestName</Parts>;";
    expect(bannedIn({ file: 'a.tsx', code })).toEqual([
      'answerText (use response, completion)',
      'mostBytes (use max…)',
    ]);
  });

  it('reports a comment that begins with a pronoun', () => {
    const code = '/** What it returns. */\n// Of the first.\n/** Those of all. */\n/**\n * Returns two.\n */';
    expect(vagueCommentsIn({ file: 'a.ts', code })).toEqual([
      '/** What it returns. */',
      '// Of the first.',
      '/** Those of all. */',
    ]);
  });
});

describe('Source files', () => {
  it('declares and uses no banned identifier', () => {
    const banned = sources.flatMap((source) => bannedIn(source).map((name) => `${source.file}: ${name}`));

    expect(files.length).toBeGreaterThan(2000);
    expect(banned).toEqual([]);
  });

  it('begins no comment with a pronoun', () => {
    const vague = sources.flatMap((source) =>
      vagueCommentsIn(source).map((text) => `${source.file}: ${text}`),
    );
    expect(vague).toEqual([]);
  });
});
