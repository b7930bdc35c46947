"""What people say to a device with speaker, screen and camera, and the tool that it wants.

The first half was at hand when the prompt was made, the second was not. ``STATUS`` wants no more
than the device's state; where it is told, setting a value to what it is already does no harm.
"""

from __future__ import annotations

VOLUME = "self.audio_speaker.set_volume"
BRIGHTNESS = "self.screen.set_brightness"
THEME = "self.screen.set_theme"
PHOTO = "self.camera.take_photo"
STATUS = "self.get_device_status"

WANTED = (
    ("Set the volume to 30.", VOLUME),
    ("Turn the volume up to eighty percent.", VOLUME),
    ("Can you make it louder?", VOLUME),
    ("You are too loud.", VOLUME),
    ("Turn it down a bit, please.", VOLUME),
    ("Please mute yourself.", VOLUME),
    ("Speak at full volume.", VOLUME),
    ("What is your volume right now?", STATUS),
    ("Set the brightness to 50.", BRIGHTNESS),
    ("Make the screen brighter.", BRIGHTNESS),
    ("The screen is too bright.", BRIGHTNESS),
    ("Dim your screen to ten percent.", BRIGHTNESS),
    ("Switch to dark mode.", THEME),
    ("Use the light theme please.", THEME),
    ("How much battery do you have left?", STATUS),
    ("Are you charging?", STATUS),
    ("Take a photo and tell me what you see.", PHOTO),
    ("What do you see in front of you?", PHOTO),
    ("What am I holding in my hand?", PHOTO),
    ("Is your Wi-Fi signal good?", STATUS),
)
WANTED_UNSEEN = (
    ("Put the volume at fifteen.", VOLUME),
    ("Could you speak a little louder please?", VOLUME),
    ("I can't hear you, speak up.", VOLUME),
    ("It's too quiet.", VOLUME),
    ("Lower your volume, the baby is sleeping.", VOLUME),
    ("Volume to maximum!", VOLUME),
    ("Turn the sound off.", VOLUME),
    ("Which volume are you at?", STATUS),
    ("Brightness to ninety percent.", BRIGHTNESS),
    ("Your display is too dark, I can't read it.", BRIGHTNESS),
    ("Make your screen a bit dimmer.", BRIGHTNESS),
    ("Full brightness, please.", BRIGHTNESS),
    ("Change the screen to the light theme.", THEME),
    ("I'd like dark mode on.", THEME),
    ("Do you need to be charged soon?", STATUS),
    ("How full is your battery?", STATUS),
    ("Look at this and tell me what it is.", PHOTO),
    ("Can you describe what's in front of the camera?", PHOTO),
    ("What color is my shirt, have a look.", PHOTO),
    ("Are you connected to the network?", STATUS),
)
TALK = (
    "How loud is a jet?",
    "I like it bright.",
    "Good morning!",
    "I had a terrible day at work.",
    "What is the volume of a sphere?",
    "My battery died on the way home.",
    "I took a great photo yesterday.",
    "What is the brightest star in the sky?",
    "Dark chocolate is my favorite.",
    "Who are you?",
    "Turn left at the corner, is that right?",
    "Tell me a short story about a mouse.",
    "Do you like music?",
    "My neighbor plays the trumpet so loud.",
    "What is my sister's name?",
    "I see what you mean.",
    "How far away is the moon?",
    "The theme of the party is pirates.",
    "Thank you, that's enough.",
    "I bought a new screen for my computer.",
)
TALK_UNSEEN = (
    "Speaking of music, who wrote the Moonlight Sonata?",
    "The concert last night was way too loud.",
    "Light travels faster than sound, right?",
    "My phone charges really slowly.",
    "I'm looking for a new job.",
    "It was a dark and stormy night.",
    "See you tomorrow!",
    "Can you recommend a good camera?",
    "I can hear birds outside.",
    "What a bright idea!",
    "Is the internet a good place for children?",
    "I watched a film about whales.",
    "How are you today?",
    "Tell me a joke.",
    "What is the capital of Peru?",
    "I feel a bit down today.",
    "My screen time is much too high.",
    "She turned thirty last week.",
    "Why is the sky blue?",
    "Do dogs see colors?",
)
