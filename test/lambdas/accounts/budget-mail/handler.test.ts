import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey, issueApiKey } from '#lambdas/access/api-key.ts';
import { createBudgetMailHandler } from '#lambdas/accounts/budget-mail/handler.ts';
import type { Mail } from '#lambdas/accounts/mail.ts';
import type { OrganizationDetails } from '#lambdas/accounts/organizations/responses.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import type { BudgetEvent } from '#lambdas/limits/budgets/events.ts';
import {
  type OrganizationsFixture,
  startOrganizationsFixture,
  type TestUser,
} from '#test/support/accounts/organizations-fixture.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { recordLogLines } from '#test/support/record-log-lines.ts';

let database: EmbeddedDynamoDB;
let fixture: OrganizationsFixture;
let ada: TestUser;
let grace: TestUser;
let acme: OrganizationDetails;
let mails: Mail[];
let unreachable: Set<string>;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  fixture = await startOrganizationsFixture(database);
  [ada, grace] = [await fixture.signIn('Ada'), await fixture.signIn('Grace')];
});
afterAll(() => database.stop());
beforeEach(async () => {
  acme = await fixture.createOrganization(ada, 'Acme "Inc."');
  await fixture.join(acme.id, grace, 'owner');
  await fixture.join(acme.id, await fixture.signIn('Mary'), 'admin');
  mails = [];
  unreachable = new Set();
});

function deliver(event: unknown): Promise<void> {
  const { accounts, directory, log } = fixture.dependencies;
  const handle = createBudgetMailHandler({
    accounts,
    directory,
    log,
    dashboardOrigin: 'https://dashboard.example',
    async sendMail(mail) {
      if (unreachable.has(mail.to)) throw new Error(`Email address is not verified: ${mail.to}`);
      mails.push(mail);
    },
  });
  return handle({ detail: event });
}

function budgetEvent(fields: Partial<BudgetEvent> = {}): BudgetEvent {
  return {
    id: `${acme.id}/organization/c1/2026-11/80`,
    organization_id: acme.id,
    api_key_id: null,
    period: 'month',
    period_start: '2026-11-01T00:00:00.000Z',
    period_end: '2026-12-01T00:00:00.000Z',
    threshold: 80,
    amount_usd: '250',
    spent_usd: '200.000000000001',
    ...fields,
  };
}

const sentTo = () => mails.map(({ to }) => to).sort();

describe('An event of a budget', () => {
  it('is mailed to each owner', async () => {
    await deliver(budgetEvent());

    expect(sentTo()).toEqual(['ada@example.com', 'grace@example.com']);
    for (const { subject, text } of mails) {
      expect(subject).toBe('80 % of the monthly budget of "Acme Inc." is spent');
      expect(text).toBe(`Hello,

80 % of the monthly budget of "Acme Inc." is spent.

Organization: "Acme Inc."
Period: November 2026 (UTC)
Budget: 250.00 USD
Spent: 200.000000000001 USD

https://dashboard.example/organizations/${acme.id}/budgets

You receive this e-mail as an owner of the organization.
`);
    }
  });

  it('names the key whose budget it is', async () => {
    const audit = fixture.auditOf(ada);
    const { key, apiKey } = issueApiKey({
      organizationId: acme.id,
      name: 'production',
      createdAt: audit.now(),
      createdBy: creatorOf(audit.actor),
    });
    await fixture.dependencies.directory.createApiKey(apiKey, hashApiKey(key), audit);
    const day = { period: 'day', period_start: '2026-11-23T00:00:00.000Z' } as const;

    await deliver(budgetEvent({ ...day, api_key_id: apiKey.id, threshold: 50, amount_usd: '9.5' }));

    expect(mails[0]?.subject).toBe('50 % of the daily budget of the API key "production" is spent');
    expect(mails[0]?.text).toContain(`
Organization: "Acme Inc."
API key: "production"
Period: 23 November 2026 (UTC)
Budget: 9.50 USD
`);
  });

  it('says at the last threshold whether the budget is spent, or refuses requests before that', async () => {
    const full = { threshold: 100, spent_usd: '250' } as const;
    await deliver(budgetEvent({ ...full, id: 'spent' }));
    await deliver(budgetEvent({ ...full, id: 'refusing', spent_usd: '249.99' }));

    expect(mails.map(({ subject, text }) => [subject, text.split('\n')[2]])).toEqual(
      [
        [
          '100 % of the monthly budget of "Acme Inc." is spent',
          '100 % of the monthly budget of "Acme Inc." is spent. If it is a hard budget, requests are refused until the period ends.',
        ],
        [
          'The monthly budget of "Acme Inc." refuses requests',
          'The monthly budget of "Acme Inc." has refused a request that might have exceeded it. It goes on to do so until the period ends.',
        ],
      ].flatMap((mail) => [mail, mail]),
    );
  });

  it('is not mailed when the organization is deleted or unknown', async () => {
    await fixture.call(ada, 'DELETE', `/organizations/${acme.id}`, { name: acme.name });

    await deliver(budgetEvent());
    await deliver(budgetEvent({ organization_id: 'org_unknown' }));

    expect(mails).toEqual([]);
  });

  it.each([
    ['has no id', { id: undefined }],
    ['has an unknown threshold', { threshold: 10 }],
    ['has an amount that is no number', { amount_usd: 'much' }],
  ])('is not mailed when it %s', async (_, fields) => {
    await expect(deliver({ ...budgetEvent(), ...fields })).rejects.toThrow();
    expect(mails).toEqual([]);
  });
});

describe('An event that is delivered again', () => {
  it('sends nothing again, unlike the next event', async () => {
    await deliver(budgetEvent());
    await deliver(budgetEvent());
    expect(mails).toHaveLength(2);

    await deliver(budgetEvent({ id: 'next' }));
    expect(mails).toHaveLength(4);
  });

  it('reaches the owners who could not be reached before, and only them', async () => {
    const printed = recordLogLines();
    unreachable.add('ada@example.com');
    fixture.lines.length = 0;

    await expect(deliver(budgetEvent())).rejects.toThrow('1 of 2 e-mails about a budget were not sent');
    expect(sentTo()).toEqual(['grace@example.com']);
    expect(fixture.lines).toEqual([
      {
        level: 'ERROR',
        event: 'budget_mail_failed',
        budget_event_id: `${acme.id}/organization/c1/2026-11/80`,
        error: 'Error',
        code: null,
        at: expect.stringMatching(/^handler\.test\.ts:\d+:\d+$/),
      },
    ]);
    expect(JSON.stringify([fixture.lines, printed])).not.toContain('@example.com');

    unreachable.clear();
    await deliver(budgetEvent());
    expect(sentTo()).toEqual(['ada@example.com', 'grace@example.com']);
  });

  it('is remembered until two days after the end of its period', async () => {
    const { client, tableName: TableName } = fixture.dependencies.accounts;
    await deliver(budgetEvent({ id: 'remembered' }));

    const { Items = [] } = await client.send(new ScanCommand({ TableName }));
    const remembered = Items.filter(({ pk }) => pk === 'budget-mail#remembered');
    expect(remembered.map(({ sk, expires_at }) => [sk, expires_at]).sort()).toEqual(
      [ada, grace].map(({ id }) => [`mail#${id}`, Date.UTC(2026, 11, 3) / 1000]).sort(),
    );
  });
});
