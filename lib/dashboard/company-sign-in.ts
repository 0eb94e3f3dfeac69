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

export interface CompanySignInProps {
  userPool: DashboardUserPool;
  provider: IdentityProviderSettings;
}

const samlClaims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims';

export class CompanySignIn extends Construct {
  readonly providerName: string;

  constructor(scope: Construct, id: string, { userPool, provider }: CompanySignInProps) {
    super(scope, id);
    this.providerName = provider.name;
    if ('samlMetadataUrl' in provider) this.addSaml(userPool, provider);
    else this.addOidc(userPool, provider);
  }

  private addOidc(userPool: DashboardUserPool, provider: OidcProviderSettings): void {
    new UserPoolIdentityProviderOidc(this, 'Oidc', {
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
    new UserPoolIdentityProviderSaml(this, 'Saml', {
      userPool,
      name: provider.name,
      identifiers: provider.domains,
      metadata: UserPoolIdentityProviderSamlMetadata.url(provider.samlMetadataUrl),
      attributeMapping: {
        email: ProviderAttribute.other(`${samlClaims}/emailaddress`),
        fullname: ProviderAttribute.other(`${samlClaims}/name`),
      },
    });
  }
}
