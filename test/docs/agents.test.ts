/** Compares the contract with Claude Code in `docs/agents.md` with the tests that it names. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '#lib/build-cache.ts';
import { agents } from '#test/agents/install.ts';

const directory = path.join(projectRoot, 'docs');
const page = readFileSync(path.join(directory, 'agents.md'), 'utf8');

/** The cells of the table below the heading, without its head. */
function rowsBelow(heading: string): string[][] {
  const section = page.split(`### ${heading}\n`)[1]?.split(/^##/m)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((row) => row.slice(2, -2).split(' | '));
}

/** Whether a test of the source has the title. */
function isTitle(title: string, source: string): boolean {
  const code = source.replace(/\(\s+/g, '(');
  return [`('${title}',`, `("${title}",`].some((start) => code.includes(start));
}

describe('The contract with Claude Code', () => {
  const rows = rowsBelow('Its contract with gateways');

  it('names what the gateway does and a test in each row', () => {
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  });

  it.each(rows)('is tested: %s', (_topic, _behaviour, test = '') => {
    const [, title = '', file = ''] = /^\[(.+)\]\((\S+)\)$/.exec(test) ?? [];

    expect(isTitle(title, readFileSync(path.join(directory, file), 'utf8')), test).toBe(true);
  });
});

it('The versions are those that npm run test:agents installs', () => {
  const { claudeCode, opencode } = agents;

  expect(page).toContain(`installs Claude Code ${claudeCode.version} and opencode ${opencode.version}`);
  expect(page).toContain(`Version ${opencode.version} has read a file`);
});
