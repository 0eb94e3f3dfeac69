/** Checks the language rules of CONTRIBUTING.md that a machine can check; cspell checks the spelling. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tokenize } from '#test/support/source/tokens.ts';

const root = path.resolve(import.meta.dirname, '..');
const files = globSync('{bench,bin,cli,lib,lambdas,local,test}/**/*.{ts,mjs}', { cwd: root }).sort();
const sources = files.map((file) => ({ file, code: readFileSync(path.join(root, file), 'utf8') }));

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

function bannedIn(code: string): string[] {
  const names = tokenize(code).filter(({ kind }) => kind === 'identifier');
  return [...new Set(names.map(({ text }) => text))].flatMap((name) =>
    bannedIdentifiers
      .filter(({ pattern }) => pattern.test(name))
      .map(({ instead }) => `${name} (use ${instead})`),
  );
}

/** Comments that begin with a relative pronoun leave out the noun that they explain. */
function vagueCommentsIn(code: string): string[] {
  return tokenize(code)
    .filter(({ kind }) => kind === 'comment')
    .map(({ text }) => text)
    .filter((text) => /^(?:\/\*\*?|\/\/)[\s*]*(?:What|Of|Whom|Whoever|Whatever)\b/.test(text));
}

describe('bannedIn and vagueCommentsIn', () => {
  it('reports a banned identifier together with its replacement', () => {
    const code = "const mostBytes = 1; // longestName\nconst text = 'highestRate';";
    expect(bannedIn(code)).toEqual(['mostBytes (use max…)']);
  });

  it('reports a comment that begins with a relative pronoun', () => {
    const code = '/** What it returns. */\nconst one = 1; // Of the first.\n/**\n * Returns two.\n */';
    expect(vagueCommentsIn(code)).toEqual(['/** What it returns. */', '// Of the first.']);
  });
});

describe('Source files', () => {
  it('declares and uses no banned identifier', () => {
    const banned = sources.flatMap(({ file, code }) => bannedIn(code).map((name) => `${file}: ${name}`));

    expect(files.length).toBeGreaterThan(600);
    expect(banned).toEqual([]);
  });

  it('begins no comment with a relative pronoun', () => {
    const vague = sources.flatMap(({ file, code }) =>
      vagueCommentsIn(code).map((text) => `${file}: ${text}`),
    );
    expect(vague).toEqual([]);
  });
});
