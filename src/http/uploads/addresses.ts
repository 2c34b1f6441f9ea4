export type UploadAddresses = ReturnType<typeof uploadAddresses>;

/** The public addresses of an upload. They are made from the configuration, never from the Host of a request. */
export function uploadAddresses(origin: string) {
  return {
    page: (id: string) => `${origin}/${id}`,
    file: (id: string, extension: string) => `${origin}/f/${id}${extension && `.${extension}`}`,
    deletion: (id: string, key: string) => `${origin}/d/${id}/${key}`,
    /** The path of the form that reports the file, on the origin of its page. */
    report: (id: string) => `/r/${id}`,
    /** The address of a resumable upload, which its secret is a part of. */
    resumable: (secret: string) => `${origin}/files/${secret}`,
  };
}
