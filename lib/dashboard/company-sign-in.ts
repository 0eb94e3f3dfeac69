/** The company's identity provider, which the user pool federates. */

import { SecretValue } from 'aws-cdk-lib';
import {
  ProviderAttribute,
  UserPoolIdentityProviderOidc,
  UserPoolIdentityProviderSaml,
  UserPoolIdentityProviderSamlMetadata,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type {
  IdentityProviderSettings,
  OidcProviderSettings,
  SamlProviderSettings,
} from '../settings/identity-provider.ts';
import type { DashboardUserPool } from './user-pool.ts';

interface CompanySignInProps {
  userPool: DashboardUserPool;
  provider: IdentityProviderSettings;
}

/** The names of Microsoft Entra. Its claim `name` is not the name of a person, but an address. */
const samlEmail = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress';
const samlName = 'http://schemas.microsoft.com/identity/claims/displayname';

/**
 * Both kinds have the same logical id. With two, a change of the kind would create the new provider and then delete the
 * old one, by the name that both have.
 */
const providerId = 'Provider';

export class CompanySignIn extends Construct {
  readonly providerName: string;

  constructor(scope: Construct, id: string, { userPool, provider }: CompanySignInProps) {
    super(scope, id);
    this.providerName = provider.name;
    if ('samlMetadataUrl' in provider) this.addSaml(userPool, provider);
    else this.addOidc(userPool, provider);
  }

  private addOidc(userPool: DashboardUserPool, provider: OidcProviderSettings): void {
    new UserPoolIdentityProviderOidc(this, providerId, {
      userPool,
      name: provider.name,
      identifiers: provider.domains,
      issuerUrl: provider.issuer,
      clientId: provider.clientId,
      // CloudFormation reads the secret when it deploys, so the template contains only its name.
      clientSecret: SecretValue.secretsManager(provider.clientSecretName).unsafeUnwrap(),
      scopes: ['openid', 'email', 'profile'],
      attributeMapping: {
        email: ProviderAttribute.other('email'),
        fullname: ProviderAttribute.other('name'),
      },
    });
  }

  private addSaml(userPool: DashboardUserPool, provider: SamlProviderSettings): void {
    new UserPoolIdentityProviderSaml(this, providerId, {
      userPool,
      name: provider.name,
      identifiers: provider.domains,
      metadata: UserPoolIdentityProviderSamlMetadata.url(provider.samlMetadataUrl),
      attributeMapping: {
        email: ProviderAttribute.other(samlEmail),
        fullname: ProviderAttribute.other(samlName),
      },
    });
  }
}
