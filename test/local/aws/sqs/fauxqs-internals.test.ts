/**
 * `engine.ts` uses internals of fauxqs, which a new version may change without notice: it loads classes by their files,
 * replaces a method and sets a field. What it does with them is tested in `queues.test.ts` and `endpoint.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot, sourceFilesIn, sourceModule } from '#test/support/source/modules.ts';

const engine = 'local/aws/sqs/engine.ts';

it('fauxqs is pinned to the version whose internals have been read', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const hint = `Adapt ${engine}, check whether its workarounds are still needed, then change the version here.`;
  expect(devDependencies.fauxqs, hint).toBe('2.4.1');
});

it('fauxqs is loaded only by the engine', () => {
  const files = sourceFilesIn(
    ...['bench', 'bin', 'cli', 'dashboard', 'lambdas', 'lib', 'local', 'test'],
  ).filter((file) => /['"]fauxqs['"/]/.test(sourceModule(file).code));
  expect(files).toEqual([engine]);
});
