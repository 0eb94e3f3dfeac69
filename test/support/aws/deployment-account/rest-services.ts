/** CloudFront, Lambda, API Gateway and SES, whose operations are paths. */

import type { DeploymentAccount } from './account.ts';
import { json, jsonProtocol, type Protocol, type ServiceResponse, xml, xmlProtocol } from './responses.ts';

interface RestOperation {
  /** IAM action. */
  action: string;
  protocol: Protocol;
  respond(account: DeploymentAccount): ServiceResponse;
}

export function findRestOperation(path: string): RestOperation {
  const segments = path.split('/').filter(Boolean).map(decodeURIComponent);
  switch (segments.slice(0, 3).join('/')) {
    case '2020-05-31/distribution':
      return { action: 'cloudfront:ListDistributions', protocol: xmlProtocol, respond: listDistributions };
    case '2016-08-19/account-settings':
      return { action: 'lambda:GetAccountSettings', protocol: jsonProtocol, respond: getAccountSettings };
    case `2019-09-30/functions/${segments[2]}`:
      return {
        action: 'lambda:GetFunctionConcurrency',
        protocol: jsonProtocol,
        respond: ({ reservations }) =>
          json({ ReservedConcurrentExecutions: reservations.get(segments[2] ?? '') }),
      };
    case 'account':
      return {
        action: 'apigateway:GET',
        protocol: jsonProtocol,
        respond: ({ logRoleArn }) => json({ cloudwatchRoleArn: logRoleArn ?? undefined }),
      };
    case 'v2/email/account':
      return { action: 'ses:GetAccount', protocol: jsonProtocol, respond: getMailAccount };
    case 'v2/email/identities':
      return {
        action: 'ses:GetEmailIdentity',
        protocol: jsonProtocol,
        respond: (account) => getIdentity(account, segments[3] ?? ''),
      };
    default:
      throw new Error(`Unsupported path ${path}`);
  }
}

/** With one distribution at most, as the caller asks for one. */
function listDistributions({ distributions }: DeploymentAccount): ServiceResponse {
  const quantity = Math.min(distributions, 1);
  const items = '<DistributionSummary><Id>E1</Id></DistributionSummary>'.repeat(quantity);
  return xml(
    `<DistributionList xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Marker></Marker><MaxItems>1</MaxItems>
    <IsTruncated>${distributions > 1}</IsTruncated><Quantity>${quantity}</Quantity><Items>${items}</Items></DistributionList>`,
  );
}

function getAccountSettings({ concurrency: { limit, unreserved } }: DeploymentAccount): ServiceResponse {
  return json({
    AccountLimit: { ConcurrentExecutions: limit, UnreservedConcurrentExecutions: unreserved },
  });
}

function getMailAccount({ mail }: DeploymentAccount): ServiceResponse {
  return json({ ProductionAccessEnabled: mail.hasProductionAccess, SendingEnabled: mail.isSendingEnabled });
}

function getIdentity({ identities }: DeploymentAccount, name: string): ServiceResponse {
  const identity = identities.get(name);
  if (identity === undefined)
    return jsonProtocol.error({
      status: 404,
      code: 'NotFoundException',
      message: `Email identity ${name} does not exist.`,
    });
  return json({
    VerifiedForSendingStatus: identity.isVerified,
    ConfigurationSetName: identity.configurationSet,
  });
}
