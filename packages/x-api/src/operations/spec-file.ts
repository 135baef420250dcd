/** The parts used for the operation table. */
export interface SpecFile {
  readonly info: {
    readonly version: string;
    /** The digest of the whole document, in an extract. */
    readonly "x-source-sha256"?: string;
  };
  readonly servers?: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, SpecPath>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, SpecSchema>>;
    readonly parameters?: Readonly<Record<string, SpecParam>>;
  };
}

export type SpecPath = Readonly<Record<string, SpecOperation | SpecParams>> & {
  readonly parameters?: SpecParams;
};

export type SpecParams = readonly (SpecParam | SpecRef)[];

export interface SpecOperation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: SpecParams;
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema?: SpecSchema | SpecRef }>>;
  };
  readonly responses?: Readonly<Record<string, SpecResponse>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly "x-twitter-streaming"?: boolean;
}

export interface SpecResponse {
  readonly content?: Readonly<Record<string, { readonly schema?: SpecSchema | SpecRef }>>;
}

export interface SpecParam {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: SpecSchema | SpecRef;
}

export interface SpecRef {
  readonly $ref: string;
}

export interface SpecSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly default?: string | number | boolean | readonly string[];
  readonly items?: SpecSchema | SpecRef;
  readonly properties?: Readonly<Record<string, SpecSchema | SpecRef>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | object;
  readonly anyOf?: readonly (SpecSchema | SpecRef)[];
}
