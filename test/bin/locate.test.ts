import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { type CfnFunction, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runLocate } from '#bin/locate.ts';
import { functionBundle } from '#lib/functions/function-bundle.ts';
import { runInTerminal } from '#test/support/run-in-terminal.ts';

const locate = (...commandLine: string[]) => runInTerminal((terminal) => runLocate(commandLine, terminal));

describe('npm run locate', () => {
  let assembly: string;
  let hash: string;
  let logicalId: string;
  let location: string;
  beforeAll(() => {
    assembly = mkdtempSync(join(tmpdir(), 'locate-'));
    const app = new App({ outdir: assembly, builtinCloudFormationValidation: false });
    const stack = new Stack(app, 'AiGateway');
    const canary = new LambdaFunction(stack, 'CanaryFunction', {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: functionBundle('canary/canary.lambda.ts'),
    });
    logicalId = stack.getLogicalId(canary.node.defaultChild as CfnFunction);
    app.synth();
    const asset = readdirSync(assembly).find((name) => name.startsWith('asset.')) ?? '';
    hash = asset.replace('asset.', '');
    location = throwInBundle(join(assembly, asset, 'index.mjs'));
  });
  afterAll(() => rmSync(assembly, { recursive: true }));

  /** Returns the location of the error that the bundle throws without its environment variables. */
  function throwInBundle(file: string): string {
    const program = `import('${pathToFileURL(file)}').catch(({ stack }) => console.log(stack))`;
    const stack = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    return /[\w.-]+\.mjs:\d+:\d+/.exec(stack)?.[0] ?? '';
  }

  it('leads from an error in a bundle to the line and the function that threw it', async () => {
    const source = 'lambdas/platform/environment.ts';
    const lines = readFileSync(resolve(source), 'utf8').split('\n');
    const line = lines.findIndex((code) => code.includes('throw new Error('));
    const column = lines[line]?.indexOf('new Error') ?? -1;
    const stdout = `${source}:${line + 1}:${column + 1} in readEnvironment\n  ${lines[line]?.trim()}\n`;

    for (const name of ['Canary', 'canaryFunction', `AiGateway-${logicalId}-x7YzQ2bL`]) {
      expect(await locate('--assembly', assembly, '--function', name, location)).toEqual({
        exitCode: 0,
        stdout,
        stderr: `note: This is right if the deployed bundle is ${hash}, as this command prints it: aws cloudformation describe-stack-resource --stack-name AiGateway --logical-resource-id ${logicalId} --query StackResourceDetail.Metadata\n`,
      });
    }
    const byHash = await locate('--assembly', assembly, '--hash', `asset.${hash}`, location);
    expect(byHash).toEqual({ exitCode: 0, stdout, stderr: '' });
  });

  it.each<[string, string[], number, string]>([
    [
      'an unknown function',
      ['--function', 'Chat', 'index.mjs:1:1'],
      1,
      'There is no function Chat: the functions are Canary',
    ],
    [
      'another version',
      ['--hash', '0'.repeat(64), 'index.mjs:1:1'],
      1,
      `no source maps of the bundle ${'0'.repeat(64)}: check out the commit that was deployed, and run "npm run synth"`,
    ],
    ['another file', ['--function', 'Canary', 'other.mjs:1:1'], 1, 'has no source at other.mjs:1:1'],
    ['no function', ['index.mjs:1:1'], 2, 'Pass --function NAME, --hash HASH, or both'],
    [
      'another form of location',
      ['--function', 'Canary', 'index.mjs'],
      2,
      'The location must be a file, line and column, such as index.mjs:1:23456',
    ],
  ])('fails for %s', async (_, commandLine, exitCode, error) => {
    expect(await locate('--assembly', assembly, ...commandLine)).toEqual({
      exitCode,
      stdout: '',
      stderr: expect.stringContaining(error),
    });
  });
});
