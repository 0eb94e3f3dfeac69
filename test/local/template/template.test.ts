import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nameWithoutHash, parseTemplate, readTemplate } from '#local/template/template.ts';
import { writeAssemblyFixture } from '../assembly-fixture.ts';

const parse = (Resources: Record<string, unknown>) =>
  parseTemplate({ stackName: 'S', template: { Resources } });

describe('readTemplate and parseTemplate', () => {
  it('reads the template and the directories of its assets', () => {
    const directory = writeAssemblyFixture({ testUrl: 'http://127.0.0.1:1' });
    const template = readTemplate(directory);
    rmSync(directory, { recursive: true });

    expect(template.stackName).toBe('Fixture');
    expect(template.resources.get('Events')?.type).toBe('AWS::DynamoDB::Table');
    expect(template.assetDirectories.get('probe.zip')).toBe(join(import.meta.dirname, '../fixtures/probe'));
  });

  it('accepts resource types without a local effect', () => {
    const template = parse({
      Logs: { Type: 'AWS::Logs::LogGroup' },
      Alarm: { Type: 'AWS::CloudWatch::Alarm' },
      SecretPolicy: { Type: 'AWS::SecretsManager::ResourcePolicy' },
    });

    expect([...template.resources.keys()]).toEqual(['Logs', 'Alarm', 'SecretPolicy']);
  });

  it('rejects an unsupported resource type', () => {
    expect(() => parse({ Topic: { Type: 'AWS::Kinesis::Stream' } })).toThrow(
      'Topic has the type AWS::Kinesis::Stream, which the local run does not support',
    );
  });

  it('rejects a resource with a Condition', () => {
    expect(() => parse({ Logs: { Type: 'AWS::Logs::LogGroup', Condition: 'InProduction' } })).toThrow(
      'Logs has a Condition, which the local run does not evaluate',
    );
  });

  it('rejects an assembly with more than one stack', () => {
    const directory = writeAssemblyFixture({ testUrl: 'http://127.0.0.1:1' });
    const stack = { type: 'aws:cloudformation:stack', properties: { templateFile: 'Fixture.template.json' } };
    writeFileSync(
      join(directory, 'manifest.json'),
      JSON.stringify({ artifacts: { One: stack, Two: stack } }),
    );

    expect(() => readTemplate(directory)).toThrow(
      'The app must have exactly one stack to run locally; it has 2',
    );
    rmSync(directory, { recursive: true });
  });

  it('removes the hash of a logical id', () => {
    expect(nameWithoutHash('ChatFunctionD42E891B')).toBe('ChatFunction');
    expect(nameWithoutHash('Probe')).toBe('Probe');
  });
});
