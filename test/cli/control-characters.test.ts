/** Text of users and callers must neither control the operator's terminal nor change the direction of what it shows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogId } from '#lambdas/request-log/id.ts';
import { type AdminFixture, createAdminFixture } from '#test/support/admin-command.ts';
import { controlCharacters, controlCharactersIn } from '#test/support/control-characters.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';

const text = `first ${controlCharacters.join('')} last`;
const entryMs = Date.now() - 60_000;

let reports: ReportFixture;
let gateway: AdminFixture;
let organizationId: string;
let keyId: string;

beforeAll(async () => {
  reports = await startReportFixture();
  gateway = await createAdminFixture(reports);
  const { directory, audit } = gateway;
  organizationId = (await runForJson<{ id: string }>('org', 'create', '--name', 'Acme')).id;
  const organization = ['--organization', organizationId];
  keyId = (await runForJson<{ id: string }>('key', 'create', ...organization, '--name', 'ci')).id;
  const actor = { type: 'user', id: text, name: text, email: text } as const;
  await directory.renameOrganization(organizationId, text, audit.as(actor));
  await directory.renameApiKey(organizationId, keyId, text, audit.as(actor));
  const entry = logEntry({
    id: createLogId(entryMs),
    organization_id: organizationId,
    model: text,
    prompt_id: text,
    session_id: text,
    user_id: text,
  });
  await reports.write(entry);
});
afterAll(async () => {
  await gateway.stop();
  await reports.stop();
});

async function runForJson<Result>(...commandLine: string[]): Promise<Result> {
  const { stdout } = await gateway.run([...commandLine, '--json']);
  return JSON.parse(stdout);
}

const commands: Record<string, () => string[]> = {
  'org list': () => ['org', 'list'],
  'org scale': () => ['org', 'scale', '--organization', organizationId, '--log-shards', '2'],
  'key list': () => ['key', 'list', '--organization', organizationId],
  'audit list': () => ['audit', 'list', '--organization', organizationId],
};

describe('A command escapes control characters', () => {
  it.each(Object.entries(commands))('in the text of %s', async (_, commandLine) => {
    const { exitCode, stdout } = await gateway.run(commandLine());

    expect(exitCode).toBe(0);
    expect(controlCharactersIn(stdout)).toEqual([]);
    expect(stdout).toContain('first \\u0000\\u0001');
    expect(stdout).toContain('\\u2068\\u2069 last');
  });

  it.each(Object.entries(commands))('in the JSON of %s, whose value is the same', async (_, commandLine) => {
    const { stdout } = await gateway.run([...commandLine(), '--json']);

    expect(controlCharactersIn(stdout)).toEqual([]);
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(text).slice(1, -1));
  });

  it('in exported JSON, whose value is the same', async () => {
    const [from, to] = [entryMs, entryMs + 1].map((ms) => new Date(ms).toISOString());
    const { stdout } = await gateway.run(
      `logs export --from ${from} --to ${to} --format ndjson --output -`.split(' '),
    );

    expect(controlCharactersIn(stdout)).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      model: text,
      prompt_id: text,
      session_id: text,
      user_id: text,
    });
  });

  it.each([
    ['an unknown organization', ['key', 'list', '--organization', `org_${text}`]],
    ['an unknown option', ['org', 'list', `--${text}`]],
    ['an unknown command', [text]],
    ['a missing file', ['price', 'import', text.replace('\0', '')]],
  ])('in the message about %s', async (_, commandLine) => {
    const { exitCode, stderr } = await gateway.run(commandLine);

    expect(exitCode).toBeGreaterThan(0);
    expect(controlCharactersIn(stderr)).toEqual([]);
    expect(stderr).toContain('\\u009b');
  });
});
