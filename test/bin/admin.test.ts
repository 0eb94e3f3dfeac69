import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runAdminCommand } from '../support/admin-command.ts';

describe('Admin command line', () => {
  it.each([
    [[]],
    [['org']],
    [['org', 'create']],
    [['org', 'list']],
    [['org', 'scale']],
    [['org', 'invite']],
    [['key']],
    [['key', 'create']],
    [['key', 'list']],
    [['key', 'revoke']],
    [['provider']],
    [['provider', 'set']],
    [['provider', 'list']],
    [['costs']],
    [['costs', 'reprice']],
    [['logs']],
    [['logs', 'export']],
    [['rollups']],
    [['rollups', 'verify']],
    [['rollups', 'rebuild']],
    [['audit']],
    [['audit', 'list']],
  ])('prints help for %j, with an example for each command that can be run', async (command) => {
    const { exitCode, stdout, stderr } = await runAdminCommand([...command, '--help']);

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain(['Usage: npm run admin --', ...command].join(' '));
    if (command.length !== 1) expect(stdout).toMatch(/Examples?:\n/);
  });

  it.each([[[]], [['key']]])(
    'prints the available commands on standard error for %j without a command',
    async (line) => {
      const { exitCode, stdout, stderr } = await runAdminCommand(line);

      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain('Commands:');
    },
  );

  it.each([
    [['organisation'], "unknown command 'organisation' (see --help)"],
    [['org', 'lst'], "unknown command 'lst' (Did you mean list?) (see --help)"],
    [['org', 'list', '--jsn'], "unknown option '--jsn' (Did you mean --json?) (see --help)"],
    [['key', 'create', '--name', 'x'], "required option '--organization <id>' not specified (see --help)"],
    [['org', 'list', '--region', 'eu-west-1'], '--region requires --stack NAME'],
    [['org', 'list', '--profile', 'work'], '--profile requires --stack NAME'],
  ])('rejects %j with one line and exit code 2', async (commandLine, message) => {
    const result = await runAdminCommand(commandLine);

    expect(result).toEqual({ exitCode: 2, stdout: '', stderr: `error: ${message}\n` });
  });

  it('fails with one line when standard output is closed', async () => {
    const child = spawn(process.execPath, [resolve(import.meta.dirname, '../../bin/admin.ts'), '--help']);
    child.stdout.destroy();

    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')]);

    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: Cannot write to standard output: write EPIPE\n',
    });
  });
});
