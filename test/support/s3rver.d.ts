declare module 's3rver' {
  import type { AddressInfo } from 'node:net';
  import type Koa from 'koa';

  export default class S3rver extends Koa {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: { name: string }[];
    });
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
