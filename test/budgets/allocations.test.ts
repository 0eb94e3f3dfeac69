/**
 * How many bytes the chat function as it is deployed allocates, with fakes in the place of the network: what it allocates
 * has to be collected, in the time of those who wait. V8's compiler, which saves some of this, is off, so that the figures
 * are the same each time.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildChatBundle, chatEnvironment } from '#bench/harness/chat-bundle.ts';
import type { Allocations } from '../support/allocation-process.ts';

const flags = ['--jitless', '--min-semi-space-size=128', '--max-semi-space-size=128'];
const nowhere = 'http://127.0.0.1:9';
const bundle = buildChatBundle();
const directory = mkdtempSync(path.join(tmpdir(), 'allocations-'));
afterAll(() => {
  bundle.remove();
  rmSync(directory, { recursive: true });
});

let allocations: Allocations;
beforeAll(() => {
  const program = path.join(import.meta.dirname, '../support/allocation-process.ts');
  const outfile = path.join(directory, 'allocation-process.mjs');
  buildSync({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
  });
  const env = { ...chatEnvironment({ upstream: nowhere, aws: nowhere }), CHAT_BUNDLE: bundle.directory };
  const output = execFileSync(process.execPath, [...flags, outfile], { encoding: 'utf8', env });
  allocations = JSON.parse(output);
});

// Each bound leaves a quarter for what new versions of Node do otherwise. When one fails: `node --heap-prof` names who
// allocates. What is worth its bytes raises the bound, with the figure in the commit.

it('are counted while no garbage is collected', () => {
  expect(allocations.collections).toBe(0);
});

it('are for a piece of a stream no more than what it takes to look at it', () => {
  // 1352, most of it the text that is compared and what an event of Node's takes.
  expect(allocations.chunk.heap).toBeLessThanOrEqual(1700);
  // Its bytes are handed on where they are.
  expect(allocations.chunk.buffers).toBe(0);
});

it('are for a request within bounds', () => {
  // 96,000: a question of 1 kB and an answer of 2 kB, of which there are the texts, and the log entry, signed.
  expect(allocations.request.heap).toBeLessThanOrEqual(120_000);
  expect(allocations.request.buffers).toBeLessThanOrEqual(100);
});
