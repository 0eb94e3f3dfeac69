import { Stack } from 'aws-cdk-lib';
import { domainOf } from '#lambdas/accounts/email-address.ts';
import type { GatewayFunction } from '#lib/functions/gateway-function.ts';

/** Allows e-mails from `mailFrom`, an address of a domain that is verified in Amazon SES. */
export function grantSendMail(fn: GatewayFunction, mailFrom: string): void {
  const { partition, region, account } = Stack.of(fn);
  fn.addEnvironment('MAIL_FROM', mailFrom);
  fn.allow({
    actions: ['ses:SendEmail'],
    resources: [`arn:${partition}:ses:${region}:${account}:identity/${domainOf(mailFrom)}`],
  });
}
