import { expect, it } from 'vitest';
import { mailboxPage } from '#local/cognito/managed-login/pages/mailbox.ts';

const mail = { to: 'ada@example.com', subject: 'Invitation', sentAt: '2026-11-25T10:00:00.000Z' };

it('shows the lines of an e-mail, with links and without markup', () => {
  const text =
    'Open <b>this</b>:\n\nhttp://127.0.0.1:3002/invitations/org_1.a-b_c?x=1&y=2\n\nUntil tomorrow.';
  const { markup } = mailboxPage([{ ...mail, text }]);

  expect(markup).toContain(
    '<p class="text">Open &lt;b&gt;this&lt;/b&gt;:\n\n<a href="http://127.0.0.1:3002/invitations/org_1.a-b_c?x=1&amp;y=2">http://127.0.0.1:3002/invitations/org_1.a-b_c?x=1&amp;y=2</a>\n\nUntil tomorrow.</p>',
  );
});

it('makes no links to scripts', () => {
  const { markup } = mailboxPage([{ ...mail, text: 'javascript:alert(1) data:text/html,x' }]);

  expect(markup).toContain('<p class="text">javascript:alert(1) data:text/html,x</p>');
});
