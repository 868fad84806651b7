// Browsers start no worker from a file, so a page opened as file:// runs the search in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(address) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.inside = this.frame.contentWindow;
      this.inside.postMessage = data => this.deliver(this, data);
      this.loaded = new Promise((resolve, reject) => {
        const script = this.inside.document.createElement("script");
        Object.assign(script, { src: address, onload: resolve, onerror: reject });
        this.inside.document.head.append(script);
      });
      this.loaded.catch(fault => this.onerror?.(fault));
    }

    postMessage(data) {
      this.loaded.then(() => this.deliver(this.inside, data), () => {});
    }

    deliver(receiver, sent) {
      const data = structuredClone(sent); // as between threads: neither side sees the other's changes
      setTimeout(() => receiver.onmessage?.({ data }));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
