export default {
  title: "Trust this Lo-Bug",
  about:
    "Lo-Bug proves who it is with a certificate that it has made itself. Tell your device once that it may believe it; then no warning appears any more.",
  secure: "This page came over HTTPS. If your browser showed no warning, there is nothing left to do.",
  here: "You are at Lo-Bug's own computer. Here the microphone works without HTTPS, and nothing has to be done.",
  insecure: "This page came without HTTPS: no microphone, and no sign-in.",
  own: "This Lo-Bug uses a certificate that its owner has brought along, so there is none to load here. If your browser warns you all the same, please ask the owner.",
  off: "HTTPS is off at this Lo-Bug (setting tls.enabled), so there is no certificate to trust.",
  steps: "How to trust it",
  steps_about: "Load the certificate, then tell the system to trust it.",
  download: "Load the certificate",
  open: "Open the secure page",
  systems: {
    ios: {
      title: "iPhone and iPad",
      step_1: "Open this page in Safari, tap “Load the certificate”, and allow it.",
      step_2: "Settings › General › VPN & Device Management: tap the profile of Lo-Bug, then “Install”.",
      step_3: "Settings › General › About › Certificate Trust Settings: switch Lo-Bug on.",
    },
    android: {
      title: "Android",
      step_1: "Tap “Load the certificate”.",
      step_2: "In the Settings, search for “CA certificate” and tap it. It is found in Security & privacy › More security settings › Encryption & credentials › Install a certificate.",
      step_3: "Tap “Install anyway”, and choose the file lobug-ca.crt.",
      more: "Firefox has a list of its own: in its Settings › About Firefox tap the logo five times, then Settings › Secret Settings › “Use third party CA certificates”.",
    },
    macos: {
      title: "Mac",
      step_1: "Load the certificate and open the file: Keychain Access adds it, into “login”.",
      step_2: "In Keychain Access, double-click Lo-Bug's certificate, and under “Trust” choose “Always Trust”.",
      more: "Firefox: Settings › Privacy & Security › View Certificates › Authorities › Import.",
    },
    windows: {
      title: "Windows",
      step_1: "Load the certificate, open the file, and choose “Install Certificate…”.",
      step_2: "Choose “Current User”, then “Place all certificates in the following store”: “Trusted Root Certification Authorities”.",
      step_3: "Confirm the question that shows the fingerprint, after you have compared it.",
      more: "Firefox: Settings › Privacy & Security › View Certificates › Authorities › Import.",
    },
    linux: {
      title: "Linux",
      step_1: "Load the certificate.",
      step_2: "Firefox: Settings › Privacy & Security › View Certificates › Authorities › Import, and tick “Trust this CA to identify websites”.",
      step_3: "Chromium and Chrome: open chrome://certificate-manager, then Custom › Trusted Certificates › Import.",
    },
  },
  fingerprint: "Fingerprint of the certificate (SHA-256)",
  fingerprint_about:
    "Your device shows one when you install the certificate. Compare it with what this page shows at Lo-Bug's own computer, or with what “lobug tls show” prints there. Here alone it proves nothing: who changes the certificate on its way changes this page too.",
  fingerprint_here: "What other devices show when they install the certificate must be the same as this.",
  need: "What HTTPS is needed for",
  needs: {
    microphone: "The microphone: no browser gives it to a page that came without HTTPS.",
    sign_in: "Staying signed in: the sign-in is kept for HTTPS only.",
    listeners: "Nobody in your network can listen in or change what you read. Over plain HTTP, all that you type and hear can be read on its way.",
  },
  means: "What trusting it means",
  means_1:
    "Your device will believe what is signed with the key that lies on Lo-Bug's computer. Only trust a Lo-Bug whose computer you, or somebody whom you trust, keep.",
  means_2:
    "The certificate says that it counts for addresses in home networks only, and for names that the owner has added. Today's browsers respect that: it can't be used to play your bank.",
  means_3:
    "You can remove it at any time, in the same place. You can also go past your browser's warning instead: then all is encrypted, but nobody proves that it is really Lo-Bug at the other end.",
  to_pair: "Back to “Come in”",
  to_talk: "To Lo-Bug",
};
