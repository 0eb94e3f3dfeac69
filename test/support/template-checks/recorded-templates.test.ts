import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CfnResource } from 'aws-cdk-lib';
import { afterAll, describe, expect, it } from 'vitest';
import { createGateway } from '#test/lib/synthesized-gateway.ts';
import { checkRecordedTemplates, recordTemplate } from './recorded-templates.ts';

const root = resolve(import.meta.dirname, '../../..');
const directory = mkdtempSync(join(tmpdir(), 'template-checks-'));
afterAll(() => rmSync(directory, { recursive: true }));

describe('checkRecordedTemplates', () => {
  it('returns the findings of a template in every call, and checks other templates once', async () => {
    const misspelled = { Resources: { Queue: { Type: 'AWS::SQS::Queues' } } };
    const correct = { Resources: { Queue: { Type: 'AWS::SQS::Queue' } } };
    const record = () => {
      recordTemplate({ settings: { dashboard: false }, template: misspelled });
      recordTemplate({ settings: {}, template: correct });
    };
    record();
    const first = await checkRecordedTemplates(directory);
    record();
    const second = await checkRecordedTemplates(directory);

    expect(first).toEqual([
      'With the settings {"dashboard":false}, Queue.Type: AWS::SQS::Queues is not a resource type: correct it',
    ]);
    expect(second).toEqual(first);
    expect(await checkRecordedTemplates(directory)).toEqual([]);
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('checks the template of each app that tests synthesize', async () => {
    const { app, stack } = createGateway({ stackName: 'Recorded', dashboard: false });
    new CfnResource(stack, 'Planted', { type: 'AWS::SQS::Queues' });
    app.synth();

    expect(await checkRecordedTemplates(directory)).toEqual([
      'With the settings {"stackName":"Recorded","dashboard":false}, Planted.Type: AWS::SQS::Queues is not a resource type: correct it',
    ]);
  });

  it('is told of every template: only two files synthesize the gateway for tests', () => {
    const files = globSync('test/**/*.ts', { cwd: root }).filter((file) =>
      /new GatewayStack\(|\bfindOrSynthesize\(/.test(readFileSync(join(root, file), 'utf8')),
    );

    expect(files.sort()).toEqual([
      // Without an assembly, for `npm run soak`.
      'test/faults/support/fault-fixture.ts',
      'test/lib/synthesized-gateway.ts',
      // Synthesizes an app of its own.
      'test/local/template/synthesize.test.ts',
      'test/support/gateway-assembly.ts',
    ]);
  });
});
