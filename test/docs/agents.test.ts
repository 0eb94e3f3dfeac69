/** Compares the contracts with agents in `docs/agents.md` with the tests that they name. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '#lib/build-cache.ts';
import { agents } from '#test/agents/install.ts';
import packageJson from '../../package.json' with { type: 'json' };

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

describe.each([
  ['Claude Code', 'Its contract with gateways', 19],
  ['Claude Code at other providers', 'Models of other providers', 10],
  ['Codex', 'What Codex relies on', 19],
  ['Codex at other providers', 'Codex with models of other providers', 10],
] as const)('The contract with %s', (_agent, heading, minRows) => {
  const rows = rowsBelow(heading);

  it('names what the gateway does and a test in each row', () => {
    expect(rows.length).toBeGreaterThan(minRows);
    expect(rows.filter((cells) => cells.length !== 3)).toEqual([]);
  });

  it.each(rows)('is tested: %s', (_topic, _behaviour, test = '') => {
    const [, title = '', file = ''] = /^\[(.+)\]\((\S+)\)$/.exec(test) ?? [];

    expect(isTitle(title, readFileSync(path.join(directory, file), 'utf8')), test).toBe(true);
  });
});

it('The versions of agents are those that npm run test:agents installs', () => {
  const { claudeCode, codex, opencode, qwenCode } = agents;

  expect(page).toContain(
    `installs Claude Code ${claudeCode.version}, Codex ${codex.version}, opencode ${opencode.version} and Qwen Code ${qwenCode.version}`,
  );
  expect(page).toContain(`Version ${opencode.version} has read a file`);
});

it('The versions of SDKs are those that the tests run', () => {
  const { devDependencies: versions } = packageJson;

  expect(page).toContain(
    `Anthropic's (${versions['@anthropic-ai/sdk']}), the AI SDK's provider (${versions['@ai-sdk/anthropic']}), LangChain's (${versions['@langchain/anthropic']})`,
  );
  expect(page).toContain(
    `OpenAI's (${versions.openai}), the AI SDK's default provider (${versions['@ai-sdk/openai']}), the Agents SDK (${versions['@openai/agents']}), LangChain with \`useResponsesApi\` (${versions['@langchain/openai']})`,
  );
});
