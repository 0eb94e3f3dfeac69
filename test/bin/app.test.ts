import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'app-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('exits with only the line that names the invalid setting', () => {
  writeFileSync(
    join(directory, 'staging.config.ts'),
    `import { defineConfig } from '${resolve('lib/settings/settings.ts')}';
     export default defineConfig({ providers: { azure: { models: ['gpt'] } } });`,
  );
  const app = resolve('bin/app.ts');

  const { status, stdout, stderr } = spawnSync(process.execPath, [app], {
    cwd: directory,
    env: { CDK_CONTEXT_JSON: '{"config":"staging.config.ts"}', CDK_OUTDIR: join(directory, 'out') },
    encoding: 'utf8',
  });

  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr:
      'staging.config.ts: providers.azure.baseUrl is required: set the base URL of your resource or server, such as https://RESOURCE.openai.azure.com/openai/v1\n',
  });
});
