import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import type { AccountsTable } from '#lambdas/accounts/accounts-table.ts';
import { inviteMember } from '#lambdas/accounts/invitations/invite.ts';
import { isInvited } from '#lambdas/accounts/invitations/invited-addresses.ts';
import { invitationEndItems } from '#lambdas/accounts/invitations/store.ts';
import { createTriggerHandler } from '#lambdas/accounts/sign-up/handler.ts';
import type { SignUpSettings } from '#lambdas/accounts/sign-up/rules.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { collectLogLines } from '#test/support/log-lines.ts';

const settings: SignUpSettings = {
  signUp: 'invited',
  organizationCreators: [
    'Ada@Example.com',
    'school.example',
    'xn--caf-dma.example',
    'eve@xn--mller-kva.example',
  ],
  identityProvider: { name: 'Acme', domains: ['acme.example', 'acme.test', 'xn--zca.example'] },
};

const dayMs = 86_400_000;
const companySignIn = 'Use the company sign-in (Acme) for this address';
const notInvited = 'This address is not invited: ask the administrator of this gateway to allow it';
const otherDomain =
  'The company sign-in is only for addresses of these domains: acme.example, acme.test, xn--zca.example';

let database: EmbeddedDynamoDB;
let accounts: AccountsTable;
let directoryTable: DirectoryTable;
let auditTrail: string;
const clock = { nowMs: Date.UTC(2026, 10, 23, 8) };
const now = () => new Date(clock.nowMs);

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  const { name: tableName } = await createTable(database.client, 'Accounts', { key: ['pk', 'sk'] });
  accounts = { client: database.documentClient, tableName };
  auditTrail = (await createTable(database.client, 'AuditTrail', { key: ['organization_id', 'id'] })).name;
  const directory = await createTable(database.client, 'Directory', { key: ['pk', 'sk'] });
  directoryTable = { client: database.documentClient, tableName: directory.name };
  const created_at = '2026-11-23T08:00:00.000Z';
  await createDirectoryStore(directoryTable).createOrganization(
    { id: 'org_1', name: 'Acme', created_at, log_shards: 1 },
    operatorAudit(),
  );
});
afterAll(() => database.stop());

function operatorAudit() {
  const auditTable = { ...accounts, tableName: auditTrail, retentionDays: 400 };
  const operator = { type: 'operator' as const, id: 'arn:aws:iam::1:user/ops', name: null, email: null };
  return createAuditTrail(auditTable, operator, now);
}

/** Returns the message that Cognito shows, or `allowed`. */
async function trigger(
  triggerSource: string,
  userAttributes: Record<string, string>,
  changes: Partial<SignUpSettings> = {},
): Promise<string> {
  const lines: string[] = [];
  const log = collectLogLines((line) => lines.push(line));
  const event = {
    version: '1',
    triggerSource,
    request: { userAttributes },
    response: { autoConfirmUser: false },
  };
  const copy = structuredClone(event);
  const handle = createTriggerHandler({
    settings: { ...settings, ...changes },
    isInvited: (email) => isInvited(accounts, email, now()),
    log,
  });
  const outcome = handle(event);
  const message = await outcome.then(
    (returned) => {
      expect(returned).toBe(event);
      expect(event).toEqual(copy);
      return 'allowed';
    },
    (error: Error) => error.message,
  );
  const isRefused = message !== 'allowed' && !message.includes('not supported');
  const refused = triggerSource.startsWith('PreSignUp') ? 'sign_up_refused' : 'sign_in_refused';
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(isRefused ? [refused] : []);
  expect(lines.join()).not.toContain('@');
  return message;
}

describe('Sign-up with a password', () => {
  const signUp = (email: string, changes?: Partial<SignUpSettings>) =>
    trigger('PreSignUp_SignUp', { email }, changes);

  it.each([
    'ada@example.com',
    'ADA@EXAMPLE.COM',
    'anyone@school.example',
    'Anyone@School.Example',
    'anyone@Café.example',
    'Eve@müller.example',
    'eve@XN--MLLER-KVA.example',
  ])('is allowed for %s, which may create organizations', async (email) => {
    expect(await signUp(email)).toBe('allowed');
  });

  it.each([
    'eve@example.com',
    'ada+tag@example.com',
    'eve@sub.school.example',
    'eve@notschool.example',
    'eve@cafe.example',
    'eve+tag@müller.example',
    'school.example',
    '',
  ])('is refused for the stranger %j', async (email) => {
    expect(await signUp(email)).toBe(notInvited);
  });

  it('is allowed for everyone if the setting is open, except for addresses of the company', async () => {
    expect(await signUp('eve@example.com', { signUp: 'open' })).toBe('allowed');
    expect(await signUp('eve@ACME.test', { signUp: 'open' })).toBe(companySignIn);
    expect(await signUp('eve@ß.example', { signUp: 'open' })).toBe(companySignIn);
    expect(await signUp('eve@ss.example', { signUp: 'open' })).toBe('allowed');
  });

  it('is refused for an address of the company that may create organizations', async () => {
    expect(await signUp('grace@acme.example', { organizationCreators: ['acme.example'] })).toBe(
      companySignIn,
    );
  });

  it('is allowed for everyone where anyone may create organizations', async () => {
    expect(await signUp('eve@example.com', { organizationCreators: ['*'] })).toBe('allowed');
  });

  it('is refused for everyone without organization creators', async () => {
    const changes = { organizationCreators: [], identityProvider: null };
    expect(await signUp('ada@example.com', changes)).toBe(notInvited);
    expect(await signUp('', changes)).toBe(notInvited);
  });
});

describe('An invitation', () => {
  const signUp = (email: string) => trigger('PreSignUp_SignUp', { email });
  const invite = async (email: string) => {
    const { invitation } = await inviteMember(
      {
        accounts,
        directoryTable,
        audit: operatorAudit(),
        dashboardOrigin: 'https://dashboard.example',
      },
      { organizationId: 'org_1', organizationName: 'Acme', email, role: 'member' },
    );
    return invitation;
  };

  it('lets its address sign up for seven days, in upper or lower case', async () => {
    const startMs = clock.nowMs;
    await invite('Eve@Example.com');
    expect(await signUp('eve@EXAMPLE.com')).toBe('allowed');
    expect(await signUp('mallory@example.com')).toBe(notInvited);
    clock.nowMs = startMs + 7 * dayMs - 1;
    expect(await signUp('eve@example.com')).toBe('allowed');
    clock.nowMs = startMs + 7 * dayMs;
    expect(await signUp('eve@example.com')).toBe(notInvited);
  });

  it('that is revoked lets nobody sign up any more', async () => {
    const invitation = await invite('frank@example.com');
    const items = invitationEndItems(accounts, invitation, 'revoked_at', now());
    await accounts.client.send(new TransactWriteCommand({ TransactItems: items }));
    expect(await signUp('frank@example.com')).toBe(notInvited);
  });

  it('does not replace the company sign-in', async () => {
    await invite('grace@acme.example');
    expect(await signUp('grace@acme.example')).toBe(companySignIn);
  });
});

describe('Sign-up through the company', () => {
  const signUp = (email: string) => trigger('PreSignUp_ExternalProvider', { email });

  it('is allowed for addresses of its domains alone', async () => {
    expect(await signUp('Grace@Acme.Test')).toBe('allowed');
    expect(await signUp('ada@example.com')).toBe(otherDomain);
    expect(await signUp('grace@sub.acme.test')).toBe(otherDomain);
    expect(await trigger('PreSignUp_ExternalProvider', {})).toBe(otherDomain);
  });
});

describe('Other triggers', () => {
  it('allow users whom an administrator creates', async () => {
    expect(await trigger('PreSignUp_AdminCreateUser', { email: 'eve@example.com' })).toBe('allowed');
  });

  it('refuse a password sign-in with an address of the company, and allow all others', async () => {
    const source = 'PreAuthentication_Authentication';
    expect(await trigger(source, { email: 'grace@acme.example' })).toBe(companySignIn);
    expect(await trigger(source, { email: 'eve@example.com' })).toBe('allowed');
    expect(await trigger(source, {})).toBe('allowed');
    const federated = { email: 'grace@acme.example', 'cognito:user_status': 'EXTERNAL_PROVIDER' };
    expect(await trigger(source, federated)).toBe('allowed');
  });

  it('refuse what they do not know', async () => {
    expect(await trigger('PostConfirmation_ConfirmSignUp', { email: 'ada@example.com' })).toBe(
      'The trigger PostConfirmation_ConfirmSignUp is not supported',
    );
  });
});
