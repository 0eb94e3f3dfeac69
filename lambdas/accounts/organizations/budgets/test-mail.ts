/** An e-mail to oneself, to see whether those about budgets arrive. */
import { countMail, maxDailyMails } from '#lambdas/accounts/daily-mails.ts';
import { noContent } from '#lambdas/accounts/http/response.ts';
import { type Mail, quoteName } from '#lambdas/accounts/mail.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { errorFields } from '#lambdas/platform/telemetry/log.ts';
import type { OrganizationCall, OrganizationHandler } from '../call.ts';

/** `POST /dashboard/api/organizations/{organization}/budgets/test-mail` */
export const sendTestMail: OrganizationHandler<null> = async (call, dependencies) => {
  const { accounts, sendMail, settings, now, log } = dependencies;
  if (sendMail === null) throw new GatewayError('conflict', { message: noSenderMessage });
  if (!(await countMail(accounts, call.user.email, now()))) {
    const message = `Your address has had ${maxDailyMails} e-mails today, as many as it may: try again tomorrow (UTC)`;
    throw new GatewayError('conflict', { message });
  }
  try {
    await sendMail(testMail(call, settings.dashboardOrigin));
  } catch (error) {
    // Without the error's message, which may quote the address.
    log.error('test_mail_failed', { organization_id: call.organization.id, ...errorFields(error) });
    throw new GatewayError('service_unavailable', {
      message: 'The e-mail was not sent. The administrator of this gateway finds the reason in the log',
    });
  }
  return noContent();
};

const noSenderMessage =
  'This gateway sends no e-mails: its administrator can set an address to send them from (the setting mailFrom)';

function testMail({ user, organization }: OrganizationCall, dashboardOrigin: string): Mail {
  const name = quoteName(organization.name);
  return {
    to: user.email,
    subject: `Test: e-mails about the budgets of ${name} arrive`,
    text: [
      'Hello,',
      '',
      `this is a test that you have asked for. The owners of the organization ${name} get an e-mail like this`,
      'when 50, 80 and 100 % of a budget are spent.',
      '',
      `${dashboardOrigin}/organizations/${organization.id}/budgets`,
      '',
    ].join('\n'),
  };
}
